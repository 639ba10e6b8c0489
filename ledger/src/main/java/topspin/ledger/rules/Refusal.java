package topspin.ledger.rules;

import org.jspecify.annotations.Nullable;

import topspin.codec.Digest;

/**
 * A reason with the facts of one case. Cheap to make, since its text is put together only when
 * somebody asks for it.
 */
public final class Refusal {
    /** What a refusal says about whoever sent the transaction. */
    public enum Kind {
        /** Right on no node: held against the peer. */
        FOREVER,
        /** May be right at another time or on another node. */
        FOR_NOW,
        /** This node cannot judge it. */
        BEYOND_US
    }

    /** Where a refusal arose; decides what its text begins with (validation.md section 3). */
    private enum Frame {
        BARE(""),
        /** Verification: the reference prints the transaction here, we its id. */
        INVALID("transaction {{}} invalid : "),
        MALFORMED("transaction {}: malformed: "),
        APPLYING("transaction {}: ");

        private final String prefix;

        Frame(String prefix) {
            this.prefix = prefix;
        }
    }

    private static final Object[] NO_ARGUMENTS = {};
    private static final String HOLE = "{}";
    private static final String AMOUNT = "{amount}";

    private final Reason reason;
    private final Object[] arguments;
    private final Frame frame;
    private final @Nullable Digest transaction;

    Refusal(Reason reason) {
        this(reason, NO_ARGUMENTS);
    }

    Refusal(Reason reason, Object[] arguments) {
        this(reason, arguments, Frame.BARE, null);
    }

    private Refusal(Reason reason, Object[] arguments, Frame frame, @Nullable Digest transaction) {
        this.reason = reason;
        this.arguments = arguments;
        this.frame = frame;
        this.transaction = transaction;
    }

    public Reason reason() {
        return reason;
    }

    public Kind kind() {
        return reason.kind();
    }

    /** As the verification step reports a fault of this transaction. */
    public Refusal invalid(Digest id) {
        return new Refusal(reason, arguments, Frame.INVALID, id);
    }

    /** As the evaluator reports a fault of form. */
    public Refusal malformed(Digest id) {
        return new Refusal(reason, arguments, Frame.MALFORMED, id);
    }

    /** As the evaluator reports that this transaction could not be applied. */
    public Refusal applying(Digest id) {
        return new Refusal(reason, arguments, Frame.APPLYING, id);
    }

    /**
     * The text a client sees, but for the pool's own {@code TransactionPool.Remember: }, which the
     * pool puts before what its evaluator refuses.
     */
    public String text() {
        StringBuilder out = new StringBuilder(160);
        if (transaction != null) {
            int hole = frame.prefix.indexOf(HOLE);
            out.append(frame.prefix, 0, hole)
                    .append(transaction)
                    .append(frame.prefix, hole + HOLE.length(), frame.prefix.length());
        }
        return out.append(bareText()).toString();
    }

    /** The reason alone, without what names the transaction. */
    public String bareText() {
        String template = reason.template();
        StringBuilder out = new StringBuilder(template.length() + 120);
        int from = 0;
        for (Object argument : arguments) {
            int hole = template.indexOf(HOLE, from);
            int amount = template.indexOf(AMOUNT, from);
            boolean asAmount = amount >= 0 && (hole < 0 || amount < hole);
            int at = asAmount ? amount : hole;
            out.append(template, from, at);
            if (asAmount) {
                out.append(Amounts.text((Long) argument));
            } else if (argument instanceof Long number) {
                out.append(Long.toUnsignedString(number));
            } else {
                out.append(argument);
            }
            from = at + (asAmount ? AMOUNT.length() : HOLE.length());
        }
        return out.append(template, from, template.length()).toString();
    }

    @Override
    public String toString() {
        return reason + ": " + text();
    }
}
