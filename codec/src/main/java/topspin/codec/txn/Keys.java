package topspin.codec.txn;

import topspin.codec.msgpack.Key;

/** The names of fields on the wire; the same name means different things in different maps. */
final class Keys {
    // Transactions, in key order.
    static final Key AAMT = Key.of("aamt");
    static final Key ACLOSE = Key.of("aclose");
    static final Key AFRZ = Key.of("afrz");
    static final Key AL = Key.of("al");
    static final Key AMT = Key.of("amt");
    static final Key APAA = Key.of("apaa");
    static final Key APAN = Key.of("apan");
    static final Key APAP = Key.of("apap");
    static final Key APAR = Key.of("apar");
    static final Key APAS = Key.of("apas");
    static final Key APAT = Key.of("apat");
    static final Key APBX = Key.of("apbx");
    static final Key APEP = Key.of("apep");
    static final Key APFA = Key.of("apfa");
    static final Key APGS = Key.of("apgs");
    static final Key APID = Key.of("apid");
    static final Key APLS = Key.of("apls");
    static final Key APRV = Key.of("aprv");
    static final Key APSU = Key.of("apsu");
    static final Key ARCV = Key.of("arcv");
    static final Key ASND = Key.of("asnd");
    static final Key CAID = Key.of("caid");
    static final Key CLOSE = Key.of("close");
    static final Key FADD = Key.of("fadd");
    static final Key FAID = Key.of("faid");
    static final Key FEE = Key.of("fee");
    static final Key FV = Key.of("fv");
    static final Key GEN = Key.of("gen");
    static final Key GH = Key.of("gh");
    static final Key GRP = Key.of("grp");
    static final Key HB = Key.of("hb");
    static final Key LV = Key.of("lv");
    static final Key LX = Key.of("lx");
    static final Key NONPART = Key.of("nonpart");
    static final Key NOTE = Key.of("note");
    static final Key RCV = Key.of("rcv");
    static final Key REKEY = Key.of("rekey");
    static final Key SELKEY = Key.of("selkey");
    static final Key SND = Key.of("snd");
    static final Key SP = Key.of("sp");
    static final Key SPMSG = Key.of("spmsg");
    static final Key SPRFKEY = Key.of("sprfkey");
    static final Key SPTYPE = Key.of("sptype");
    static final Key TYPE = Key.of("type");
    static final Key VOTEFST = Key.of("votefst");
    static final Key VOTEKD = Key.of("votekd");
    static final Key VOTEKEY = Key.of("votekey");
    static final Key VOTELST = Key.of("votelst");
    static final Key XAID = Key.of("xaid");

    // Signed transactions.
    static final Key LSIG = Key.of("lsig");
    static final Key MSIG = Key.of("msig");
    static final Key PQSIG = Key.of("pqsig");
    static final Key SGNR = Key.of("sgnr");
    static final Key SIG = Key.of("sig");
    static final Key TXN = Key.of("txn");

    // What a block adds.
    static final Key ACA = Key.of("aca");
    static final Key CA = Key.of("ca");
    static final Key DT = Key.of("dt");
    static final Key HGH = Key.of("hgh");
    static final Key HGI = Key.of("hgi");
    static final Key RC = Key.of("rc");
    static final Key RR = Key.of("rr");
    static final Key RS = Key.of("rs");

    // Effects of applications.
    static final Key GD = Key.of("gd");
    static final Key ITX = Key.of("itx");
    static final Key LD = Key.of("ld");
    static final Key LG = Key.of("lg");
    static final Key SA = Key.of("sa");
    static final Key AT = Key.of("at");
    static final Key BS = Key.of("bs");
    static final Key UI = Key.of("ui");

    // Assets.
    static final Key AM = Key.of("am");
    static final Key AN = Key.of("an");
    static final Key AU = Key.of("au");
    static final Key C = Key.of("c");
    static final Key DC = Key.of("dc");
    static final Key DF = Key.of("df");
    static final Key F = Key.of("f");
    static final Key M = Key.of("m");
    static final Key R = Key.of("r");
    static final Key T = Key.of("t");
    static final Key UN = Key.of("un");

    // Schemas.
    static final Key NBS = Key.of("nbs");
    static final Key NUI = Key.of("nui");

    // References to resources.
    static final Key B = Key.of("b");
    static final Key D = Key.of("d");
    static final Key H = Key.of("h");
    static final Key I = Key.of("i");
    static final Key L = Key.of("l");
    static final Key N = Key.of("n");
    static final Key P = Key.of("p");
    static final Key S = Key.of("s");

    // Heartbeats.
    static final Key A = Key.of("a");
    static final Key KD = Key.of("kd");
    static final Key PRF = Key.of("prf");
    static final Key SD = Key.of("sd");
    static final Key VID = Key.of("vid");
    static final Key P1S = Key.of("p1s");
    static final Key P2 = Key.of("p2");
    static final Key P2S = Key.of("p2s");

    // Signatures.
    static final Key ARG = Key.of("arg");
    static final Key LMSIG = Key.of("lmsig");
    static final Key PK = Key.of("pk");
    static final Key SCH = Key.of("sch");
    static final Key SLT = Key.of("slt");
    static final Key SUBSIG = Key.of("subsig");
    static final Key THR = Key.of("thr");
    static final Key V = Key.of("v");

    // State proof messages.
    static final Key LN_PROVEN_WEIGHT = Key.of("P");

    // Groups.
    static final Key TXLIST = Key.of("txlist");

    private Keys() {}
}
