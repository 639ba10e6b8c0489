package topspin.codec.block;

import topspin.codec.msgpack.Key;

/** The names of fields on the wire. */
final class Keys {
    // Blocks, in key order.
    static final Key BI = Key.of("bi");
    static final Key CT = Key.of("ct");
    static final Key EARN = Key.of("earn");
    static final Key FC = Key.of("fc");
    static final Key FEES = Key.of("fees");
    static final Key FRAC = Key.of("frac");
    static final Key GEN = Key.of("gen");
    static final Key GH = Key.of("gh");
    static final Key LD = Key.of("ld");
    static final Key NEXTBEFORE = Key.of("nextbefore");
    static final Key NEXTPROTO = Key.of("nextproto");
    static final Key NEXTSWITCH = Key.of("nextswitch");
    static final Key NEXTYES = Key.of("nextyes");
    static final Key PARTUPDABS = Key.of("partupdabs");
    static final Key PARTUPDRMV = Key.of("partupdrmv");
    static final Key PP = Key.of("pp");
    static final Key PREV = Key.of("prev");
    static final Key PREV512 = Key.of("prev512");
    static final Key PROTO = Key.of("proto");
    static final Key PRP = Key.of("prp");
    static final Key RATE = Key.of("rate");
    static final Key RND = Key.of("rnd");
    static final Key RWCALR = Key.of("rwcalr");
    static final Key RWD = Key.of("rwd");
    static final Key SEED = Key.of("seed");
    static final Key SPT = Key.of("spt");
    static final Key TC = Key.of("tc");
    static final Key TS = Key.of("ts");
    static final Key TXN = Key.of("txn");
    static final Key TXN256 = Key.of("txn256");
    static final Key TXN512 = Key.of("txn512");
    static final Key TXNS = Key.of("txns");
    static final Key UPGRADEDELAY = Key.of("upgradedelay");
    static final Key UPGRADEPROP = Key.of("upgradeprop");
    static final Key UPGRADEYES = Key.of("upgradeyes");

    // State proof tracking.
    static final Key N = Key.of("n");
    static final Key T = Key.of("t");
    static final Key V = Key.of("v");

    private Keys() {}
}
