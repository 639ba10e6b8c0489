package topspin.node.agreement;

/** Makes blocks to propose. */
public interface BlockSource {
    /**
     * Starts to make a block for each account that is drawn to propose in the period; they come
     * back as {@link AgreementLoop#onAssembled}. Does nothing if the ledger has moved on.
     */
    void assemble(long round, long period);
}
