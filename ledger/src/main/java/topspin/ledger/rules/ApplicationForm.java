package topspin.ledger.rules;

import org.jspecify.annotations.Nullable;

import topspin.codec.Bytes;
import topspin.codec.params.ConsensusParams;
import topspin.codec.txn.ApplicationCall;
import topspin.codec.txn.BoxReference;
import topspin.codec.txn.ResourceReference;
import topspin.codec.txn.ResourceReference.HoldingReference;
import topspin.codec.txn.ResourceReference.LocalsReference;
import topspin.codec.txn.StateSchema;
import topspin.ledger.account.Uint64;

/**
 * The form of application calls (validation.md section 4, appl). This node runs no programs, and
 * still tells a peer's malformed call from one it merely cannot judge.
 */
final class ApplicationForm {
    private static final long UPDATE = 4;
    private static final long DELETE = 5;
    private static final long ARGUMENT_BYTES_MAX = 4096;

    /** Programs of this version or later go together with one of the same version only. */
    private static final long VERSION_PAIRED_MIN = 6;

    private ApplicationForm() {}

    static @Nullable Refusal check(ApplicationCall call, ConsensusParams params) {
        boolean create = call.application() == 0;
        boolean update = call.onCompletion() == UPDATE;
        if (Uint64.less(DELETE, call.onCompletion())) {
            return Reason.APP_ON_COMPLETION.refusal(call.onCompletion());
        }
        if (create && call.rejectVersion() != 0) {
            return Reason.APP_REJECT_VERSION_ON_CREATE.refusal();
        }
        Refusal refusal = checkPrograms(call, create || update);
        if (refusal != null) {
            return refusal;
        }
        refusal = checkSizes(call, create, update, params);
        if (refusal != null) {
            return refusal;
        }
        refusal = checkArguments(call, params);
        if (refusal != null) {
            return refusal;
        }
        refusal =
                call.access().isEmpty()
                        ? checkReferences(call, params)
                        : checkAccess(call, create, params);
        return refusal != null
                ? refusal
                : checkSchemas(call.localSchema(), call.globalSchema(), params);
    }

    private static @Nullable Refusal checkPrograms(ApplicationCall call, boolean allowed) {
        Bytes approval = call.approvalProgram();
        Bytes clear = call.clearProgram();
        if (!allowed) {
            return approval.isEmpty() && clear.isEmpty()
                    ? null
                    : Reason.APP_PROGRAMS_OUT_OF_PLACE.refusal();
        }
        long approvalVersion = version(approval);
        long clearVersion = version(clear);
        if (approvalVersion < 0 || clearVersion < 0) {
            return Reason.APP_PROGRAM_VERSION.refusal();
        }
        boolean paired =
                approvalVersion >= VERSION_PAIRED_MIN || clearVersion >= VERSION_PAIRED_MIN;
        return paired && approvalVersion != clearVersion
                ? Reason.APP_PROGRAM_VERSION_MISMATCH.refusal(approvalVersion, clearVersion)
                : null;
    }

    /** The number a program begins with, or -1 when there is none. */
    static long version(Bytes program) {
        long version = 0;
        for (int i = 0; i < program.length() && i < 10; i++) {
            int next = program.byteAt(i) & 0xff;
            if (i == 9 && next > 1) {
                return -1;
            }
            version |= (long) (next & 0x7f) << (7 * i);
            if (next < 0x80) {
                return version < 0 ? Long.MAX_VALUE : version;
            }
        }
        return -1;
    }

    private static @Nullable Refusal checkSizes(
            ApplicationCall call, boolean create, boolean update, ConsensusParams params) {
        StateSchema local = call.localSchema();
        StateSchema global = call.globalSchema();
        boolean sizesMayChange = create || (update && params.appSizeUpdates());
        if (!create && !local.equals(StateSchema.ZERO)) {
            return Reason.APP_LOCAL_SCHEMA_OUT_OF_PLACE.refusal();
        }
        if (!sizesMayChange && !global.equals(StateSchema.ZERO)) {
            return Reason.APP_GLOBAL_SCHEMA_OUT_OF_PLACE.refusal();
        }
        if (!sizesMayChange && call.extraProgramPages() != 0) {
            return Reason.APP_EXTRA_PAGES_OUT_OF_PLACE.refusal();
        }
        long pagesMax = params.maxAbsoluteExtraProgramPages();
        if (call.extraProgramPages() > pagesMax) {
            return Reason.APP_EXTRA_PAGES_TOO_MANY.refusal(pagesMax);
        }
        long pages = 1 + (create ? call.extraProgramPages() : pagesMax);
        long programMax = pages * params.maxAppProgramLen();
        if (call.approvalProgram().length() > programMax) {
            return Reason.APP_APPROVAL_TOO_LONG.refusal(programMax);
        }
        if (call.clearProgram().length() > programMax) {
            return Reason.APP_CLEAR_TOO_LONG.refusal(programMax);
        }
        long totalMax = pages * params.maxAppTotalProgramLen();
        if (call.approvalProgram().length() + call.clearProgram().length() > totalMax) {
            return Reason.APP_PROGRAMS_TOO_LONG.refusal(totalMax);
        }
        return null;
    }

    private static @Nullable Refusal checkSchemas(
            StateSchema local, StateSchema global, ConsensusParams params) {
        long localEntries = Uint64.saturatingAdd(local.uints(), local.byteSlices());
        if (Uint64.less(params.maxLocalSchemaEntries(), localEntries)) {
            return Reason.APP_LOCAL_SCHEMA_TOO_LARGE.refusal(
                    localEntries, (long) params.maxLocalSchemaEntries());
        }
        long globalEntries = Uint64.saturatingAdd(global.uints(), global.byteSlices());
        return Uint64.less(params.maxGlobalSchemaEntries(), globalEntries)
                ? Reason.APP_GLOBAL_SCHEMA_TOO_LARGE.refusal(
                        globalEntries, (long) params.maxGlobalSchemaEntries())
                : null;
    }

    private static @Nullable Refusal checkArguments(ApplicationCall call, ConsensusParams params) {
        int count = call.arguments().size();
        if (count > params.maxAppArgs()) {
            return Reason.APP_ARGUMENTS_TOO_MANY.refusal((long) count, (long) params.maxAppArgs());
        }
        long total = 0;
        for (int i = 0; i < count; i++) {
            long length = call.arguments().get(i).length();
            if (length > ARGUMENT_BYTES_MAX) {
                return Reason.APP_ARGUMENT_TOO_LONG.refusal((long) i, length, ARGUMENT_BYTES_MAX);
            }
            total += length;
        }
        long totalMax = params.maxAbsoluteTotalArgLen();
        return total > totalMax ? Reason.APP_ARGUMENTS_TOO_LONG.refusal(total, totalMax) : null;
    }

    private static @Nullable Refusal checkReferences(ApplicationCall call, ConsensusParams params) {
        int accounts = call.accounts().size();
        int apps = call.foreignApplications().size();
        int assets = call.foreignAssets().size();
        int boxes = call.boxes().size();
        if (accounts > params.maxAppTxnAccounts()) {
            return Reason.APP_ACCOUNTS_TOO_MANY.refusal((long) params.maxAppTxnAccounts());
        }
        if (apps > params.maxAppTxnForeignApps()) {
            return Reason.APP_FOREIGN_APPS_TOO_MANY.refusal((long) params.maxAppTxnForeignApps());
        }
        if (assets > params.maxAppTxnForeignAssets()) {
            return Reason.APP_FOREIGN_ASSETS_TOO_MANY.refusal(
                    (long) params.maxAppTxnForeignAssets());
        }
        if (boxes > params.maxAppBoxReferences()) {
            return Reason.APP_BOXES_TOO_MANY.refusal((long) params.maxAppBoxReferences());
        }
        if (accounts + apps + assets + boxes > params.maxAppTotalTxnReferences()) {
            return Reason.APP_REFERENCES_TOO_MANY.refusal((long) params.maxAppTotalTxnReferences());
        }
        for (int i = 0; i < boxes; i++) {
            BoxReference box = call.boxes().get(i);
            if (Uint64.less(apps, box.index())) {
                return Reason.APP_BOX_INDEX.refusal((long) i, box.index());
            }
            if (box.name().length() > params.maxAppKeyLen()) {
                return Reason.APP_BOX_NAME_TOO_LONG.refusal((long) i, (long) params.maxAppKeyLen());
            }
        }
        return null;
    }

    private static @Nullable Refusal checkAccess(
            ApplicationCall call, boolean create, ConsensusParams params) {
        if (call.access().size() > params.maxAppAccess()) {
            return Reason.APP_ACCESS_TOO_MANY.refusal((long) params.maxAppAccess());
        }
        if (!call.accounts().isEmpty()) {
            return Reason.APP_ACCESS_WITH_OTHERS.refusal("Accounts");
        }
        if (!call.foreignApplications().isEmpty()) {
            return Reason.APP_ACCESS_WITH_OTHERS.refusal("ForeignApps");
        }
        if (!call.foreignAssets().isEmpty()) {
            return Reason.APP_ACCESS_WITH_OTHERS.refusal("ForeignAssets");
        }
        if (!call.boxes().isEmpty()) {
            return Reason.APP_ACCESS_WITH_OTHERS.refusal("Boxes");
        }
        for (ResourceReference entry : call.access()) {
            if (!isWellFormed(entry, call, create, params)) {
                return Reason.APP_ACCESS_ENTRY.refusal();
            }
        }
        return null;
    }

    private static boolean isWellFormed(
            ResourceReference entry, ApplicationCall call, boolean create, ConsensusParams params) {
        HoldingReference holding = entry.holding();
        LocalsReference locals = entry.locals();
        BoxReference box = entry.box();
        boolean hasHolding = !holding.equals(HoldingReference.ZERO);
        boolean hasLocals = !locals.equals(LocalsReference.ZERO);
        boolean hasBox = !box.equals(BoxReference.ZERO);
        int kinds =
                (entry.address().isZero() ? 0 : 1)
                        + (entry.asset() == 0 ? 0 : 1)
                        + (entry.application() == 0 ? 0 : 1)
                        + (hasHolding ? 1 : 0)
                        + (hasLocals ? 1 : 0)
                        + (hasBox ? 1 : 0);
        if (kinds > 1) {
            return false;
        }
        if (hasHolding) {
            return isAddress(holding.address(), call) && isAsset(holding.asset(), call);
        }
        if (hasLocals) {
            boolean ownApp = locals.application() == 0;
            boolean app =
                    ownApp
                            ? !create && params.allowZeroLocalAppRef()
                            : isApplication(locals.application(), call);
            return app && isAddress(locals.address(), call);
        }
        if (hasBox) {
            return (box.index() == 0 || isApplication(box.index(), call))
                    && box.name().length() <= params.maxAppKeyLen();
        }
        return true;
    }

    private static boolean isAddress(long index, ApplicationCall call) {
        return index == 0 || (inAccess(index, call) && !at(index, call).address().isZero());
    }

    private static boolean isAsset(long index, ApplicationCall call) {
        return inAccess(index, call) && at(index, call).asset() != 0;
    }

    private static boolean isApplication(long index, ApplicationCall call) {
        return inAccess(index, call) && at(index, call).application() != 0;
    }

    private static boolean inAccess(long index, ApplicationCall call) {
        return index != 0 && !Uint64.less(call.access().size(), index);
    }

    /** References count from 1. */
    private static ResourceReference at(long index, ApplicationCall call) {
        return call.access().get((int) index - 1);
    }
}
