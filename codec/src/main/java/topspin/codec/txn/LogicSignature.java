package topspin.codec.txn;

import org.jspecify.annotations.Nullable;

import topspin.codec.Bytes;
import topspin.codec.Items;

import java.util.List;

/**
 * A program that approves, on behalf of its own address or of an account that signed it.
 *
 * @param program maybe empty, which no rule of validity accepts
 * @param arguments each maybe {@link Bytes#NIL}, which differs from empty (transactions.md 1.3)
 * @param signature 64 bytes over the program, or null
 * @param multisig the old way to delegate from a multisignature account
 * @param logicMultisig the way since v41
 */
public record LogicSignature(
        Bytes program,
        List<Bytes> arguments,
        @Nullable Bytes signature,
        @Nullable MultisigSignature multisig,
        @Nullable MultisigSignature logicMultisig,
        @Nullable PqSignature pqSignature) {
    public LogicSignature {
        arguments = Items.copyOf(arguments);
    }
}
