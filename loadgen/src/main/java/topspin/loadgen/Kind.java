package topspin.loadgen;

/** What a transaction of the load does. */
enum Kind {
    /** A payment from one of the accounts to another. */
    PAY("pay"),
    /** Units of one asset, which all accounts hold, from one account to another. */
    AXFER("axfer"),
    /** A new reserve address for the sender's own asset: state is changed, none is added. */
    ACFG("acfg"),
    /** The sender's holding of its own asset frozen, or thawed: often as it is already. */
    AFRZ("afrz"),
    /**
     * Going offline, which the accounts are already. Never online: a made-up key would take stake
     * from agreement.
     */
    KEYREG("keyreg");

    private final String wireName;

    Kind(String wireName) {
        this.wireName = wireName;
    }

    String wireName() {
        return wireName;
    }
}
