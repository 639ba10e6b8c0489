package topspin.codec.vote;

import topspin.codec.msgpack.Key;

/** The names of fields on the wire. */
final class Keys {
    static final Key CRED = Key.of("cred");
    static final Key DIG = Key.of("dig");
    static final Key ENCDIG = Key.of("encdig");
    static final Key EQV = Key.of("eqv");
    static final Key OPER = Key.of("oper");
    static final Key OPROP = Key.of("oprop");
    static final Key P = Key.of("p");
    static final Key P1S = Key.of("p1s");
    static final Key P2 = Key.of("p2");
    static final Key P2S = Key.of("p2s");
    static final Key PER = Key.of("per");
    static final Key PF = Key.of("pf");
    static final Key PROP = Key.of("prop");
    static final Key PROPS = Key.of("props");
    static final Key PS = Key.of("ps");
    static final Key PV = Key.of("pv");
    static final Key R = Key.of("r");
    static final Key RND = Key.of("rnd");
    static final Key S = Key.of("s");
    static final Key SDPF = Key.of("sdpf");
    static final Key SIG = Key.of("sig");
    static final Key SND = Key.of("snd");
    static final Key STEP = Key.of("step");
    static final Key VOTE = Key.of("vote");

    private Keys() {}
}
