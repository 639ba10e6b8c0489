package topspin.codec.txn;

/**
 * Sizes beyond which the decoder refuses (transactions.md section 8); validity may ask for less.
 * What a list of byte strings takes in all is a rule of validity alone, as in the reference.
 */
public final class Limits {
    public static final int GROUP_SIZE = 16;
    public static final int NOTE_BYTES = 4096;
    public static final int GENESIS_ID_BYTES = 128;
    public static final int TYPE_BYTES = 7;
    public static final int ASSET_UNIT_NAME_BYTES = 8;
    public static final int ASSET_NAME_BYTES = 32;
    public static final int ASSET_URL_BYTES = 96;
    public static final int STATE_PROOF_KEY_BYTES = 64;
    public static final int STATE_PROOF_HEADERS_BYTES = 32;
    public static final int STATE_PROOF_VOTERS_BYTES = 64;

    public static final int APPLICATION_ARGUMENTS = 32;
    public static final int APPLICATION_REFERENCES = 32;
    public static final int APPLICATION_ACCESS = 16;
    public static final int APPLICATION_PROGRAM_BYTES = 16_384;
    public static final int BOX_NAME_BYTES = 128;

    public static final int SIGNATURE_BYTES = 64;
    public static final int MULTISIG_KEYS = 255;
    public static final int LOGIC_PROGRAM_BYTES = 16_000;
    public static final int LOGIC_ARGUMENTS = 255;
    public static final int LOGIC_ARGUMENT_BYTES = 4096;
    public static final int PQ_SCHEME_BYTES = 2;
    public static final int PQ_KEY_BYTES = 1793;
    public static final int PQ_SIGNATURE_BYTES = 1538;

    public static final int DELTA_KEYS = 2048;
    public static final int DELTA_VALUE_BYTES = 128;
    public static final int DELTA_ACCOUNTS = 2048;
    public static final int DELTA_LOGS = 2048;
    public static final int INNER_TRANSACTIONS = 256;

    /** Transactions nested in each other; the reference's decoder gives up beyond. */
    public static final int INNER_DEPTH = 126;

    private Limits() {}
}
