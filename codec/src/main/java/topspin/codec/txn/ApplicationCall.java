package topspin.codec.txn;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Items;
import topspin.codec.Longs;

import java.util.List;

/**
 * Calls, creates, changes or deletes an application. Topspin decodes and names it and does not run
 * it.
 *
 * @param onCompletion 0 no-op, 1 opt in, 2 close out, 3 clear state, 4 update, 5 delete
 * @param arguments each maybe {@link Bytes#NIL}, which differs from empty (transactions.md 1.3)
 * @param extraProgramPages unsigned 32 bits
 */
public record ApplicationCall(
        TransactionHeader header,
        long application,
        long onCompletion,
        List<Bytes> arguments,
        List<Address> accounts,
        Longs foreignApplications,
        Longs foreignAssets,
        List<BoxReference> boxes,
        List<ResourceReference> access,
        StateSchema localSchema,
        StateSchema globalSchema,
        Bytes approvalProgram,
        Bytes clearProgram,
        long extraProgramPages,
        long rejectVersion)
        implements Transaction {

    public ApplicationCall {
        arguments = Items.copyOf(arguments);
        accounts = Items.copyOf(accounts);
        boxes = Items.copyOf(boxes);
        access = Items.copyOf(access);
    }

    @Override
    public String typeText() {
        return TransactionType.APPLICATION_CALL.wireName();
    }

    @Override
    public ApplicationCall withHeader(TransactionHeader newHeader) {
        return new ApplicationCall(
                newHeader,
                application,
                onCompletion,
                arguments,
                accounts,
                foreignApplications,
                foreignAssets,
                boxes,
                access,
                localSchema,
                globalSchema,
                approvalProgram,
                clearProgram,
                extraProgramPages,
                rejectVersion);
    }
}
