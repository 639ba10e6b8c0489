package topspin.node.rest;

import static io.netty.handler.codec.http.HttpMethod.POST;

import org.jspecify.annotations.Nullable;

import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.StateProof;
import topspin.codec.txn.TransactionGroup;
import topspin.ledger.LedgerView;
import topspin.ledger.Simulation;
import topspin.node.rest.SimulateRequest.Trace;

import java.util.List;

/** Trying a group without sending it (rest.md section 5, Simulate details). */
final class SimulateRoutes {
    private static final int BODY_BYTES_MAX = 1_000_000;
    private static final int VERSION = 2;

    /** More than this nobody may add to what programs may spend. */
    private static final long EXTRA_BUDGET_MAX = 320_000;

    /** Bytes that a program may log when more logging is allowed. */
    private static final long LOG_BYTES_MAX = 65_536;

    private final NodeParts node;
    private final RestConfig config;

    SimulateRoutes(NodeParts node, RestConfig config) {
        this.node = node;
        this.config = config;
    }

    List<Route> routes() {
        return List.of(
                Route.of(
                                POST,
                                "/v2/transactions/simulate",
                                Access.PUBLIC,
                                "What a group would do, without sending it.",
                                this::simulate)
                        .withBody(BODY_BYTES_MAX)
                        .reads("format")
                        .onWorker());
    }

    private void simulate(Exchange exchange) {
        String format = exchange.formatText();
        SimulateRequest request = SimulateRequest.decode(exchange.bodyBytes());
        int sizeMax = node.ledger().view().params().maxTxGroupSize();
        for (SimulateRequest.Group group : request.groups()) {
            if (group.size() == 0) {
                throw new RequestFault(400, "empty txgroup");
            }
            if (group.size() > sizeMax) {
                throw new RequestFault(
                        400,
                        "transaction group size "
                                + group.size()
                                + " exceeds protocol max "
                                + sizeMax);
            }
        }
        if (request.fixSigners() && !request.emptySignatures()) {
            throw new RequestFault(400, "FixSigners requires AllowEmptySignatures to be enabled");
        }
        if (request.groupCount() != 1) {
            throw new RequestFault(
                    400, "expected 1 transaction group, got " + request.groupCount());
        }
        LedgerView base = base(request.round());
        requireTrace(request.trace());
        List<SignedTransaction> members = request.groups().getFirst().members();
        if (members.stream().anyMatch(member -> member.txn() instanceof StateProof)) {
            throw new RequestFault(500, "cannot simulate StateProof transactions");
        }
        Simulation.Outcome outcome =
                Simulation.of(
                        TransactionGroup.of(members),
                        base,
                        node.versions(),
                        node.signatures().get(),
                        new Simulation.Options(request.emptySignatures(), request.fixSigners()));
        if (request.extraBudget() > EXTRA_BUDGET_MAX) {
            throw new RequestFault(
                    400,
                    "extra budget "
                            + request.extraBudget()
                            + " > simulation extra budget limit "
                            + EXTRA_BUDGET_MAX);
        }
        switch (outcome) {
            case Simulation.Unfit(var refusal) -> throw new RequestFault(400, refusal.text());
            case Simulation.Simulated simulated ->
                    answer(new Form(request, base, simulated), format, exchange);
        }
    }

    private LedgerView base(long round) {
        LedgerView latest = node.ledger().view();
        if (round == 0 || round == latest.round()) {
            return latest;
        }
        if (Long.compareUnsigned(round, latest.round()) > 0) {
            throw new RequestFault(
                    500,
                    "ledger does not have entry %s (latest %d, committed %d)"
                            .formatted(
                                    Long.toUnsignedString(round), latest.round(), latest.round()));
        }
        LedgerView past = node.ledger().view(round);
        if (past == null) {
            throw new RequestFault(
                    500, "round %d before dbRound %d".formatted(round, node.ledger().firstView()));
        }
        return past;
    }

    private void requireTrace(Trace trace) {
        if (trace.enable() && !config.developerApi()) {
            throw new RequestFault(
                    400,
                    "the local configuration of the node has `EnableDeveloperAPI` turned off, while"
                            + " requesting for execution trace");
        }
        if (trace.enable()) {
            return;
        }
        String what =
                trace.stack()
                        ? "stack tracing"
                        : trace.scratch()
                                ? "scratch slot change tracing"
                                : trace.state() ? "app state change tracing" : "";
        if (!what.isEmpty()) {
            throw new RequestFault(400, "basic trace must be enabled when enabling " + what);
        }
    }

    private static void answer(Form form, @Nullable String format, Exchange exchange) {
        exchange.send(Exchange.isMsgpack(format), form::write);
    }

    /** A named number or flag of the answer, which is left out when it is zero or false. */
    private record Field(String name, long value, boolean isFlag) {
        static List<Field> present(Field... all) {
            return List.of(all).stream().filter(field -> field.value != 0).toList();
        }

        static Field of(String name, long value) {
            return new Field(name, value, false);
        }

        static Field of(String name, boolean value) {
            return new Field(name, value ? 1 : 0, true);
        }

        void write(TwinWriter out) {
            out.name(name);
            if (isFlag) {
                out.flag(true);
            } else {
                out.uint(value);
            }
        }
    }

    /** The answer: keys in order, and only those whose value is not zero, false or empty. */
    private record Form(SimulateRequest request, LedgerView base, Simulation.Simulated simulated) {

        private List<Field> overrides() {
            long calls = base.params().maxAppProgramLen();
            return Field.present(
                    Field.of("allow-empty-signatures", request.emptySignatures()),
                    Field.of("allow-unnamed-resources", request.unnamedResources()),
                    Field.of("extra-opcode-budget", request.extraBudget()),
                    Field.of("fix-signers", request.fixSigners()),
                    Field.of("max-log-calls", request.moreLogging() ? calls : 0),
                    Field.of("max-log-size", request.moreLogging() ? LOG_BYTES_MAX : 0));
        }

        private List<Field> trace() {
            Trace trace = request.trace();
            return Field.present(
                    Field.of("enable", trace.enable()),
                    Field.of("scratch-change", trace.scratch()),
                    Field.of("stack-change", trace.stack()),
                    Field.of("state-change", trace.state()));
        }

        void write(TwinWriter out) {
            List<Field> overrides = overrides();
            List<Field> trace = trace();
            out.map(3 + Math.min(1, overrides.size()) + Math.min(1, trace.size()));
            write("eval-overrides", overrides, out);
            write("exec-trace-config", trace, out);
            out.name("last-round").uint(base.round());
            out.name("txn-groups").list(1);
            writeGroup(out);
            out.endList().name("version").uint(VERSION).endMap();
        }

        private static void write(String name, List<Field> fields, TwinWriter out) {
            if (!fields.isEmpty()) {
                out.name(name).map(fields.size());
                fields.forEach(field -> field.write(out));
                out.endMap();
            }
        }

        private void writeGroup(TwinWriter out) {
            List<Field> figures =
                    Field.present(
                            Field.of("group-fees-paid", simulated.feesPaid()),
                            Field.of("group-usage", simulated.usage()));
            Simulation.Failure failure = simulated.failure();
            out.map(1 + figures.size() + (failure == null ? 0 : 2));
            if (failure != null) {
                out.name("failed-at").list(1).uint(failure.at()).endList();
                out.name("failure-message").text(failure.text());
            }
            figures.forEach(figure -> figure.write(out));
            out.name("txn-results").list(simulated.members().size());
            simulated.members().forEach(member -> write(member, out));
            out.endList().endMap();
        }

        private static void write(Simulation.Member member, TwinWriter out) {
            long fee = member.signed().txn().fee();
            boolean fixed = !member.fixedSigner().isZero();
            out.map(1 + (fee == 0 ? 0 : 1) + (fixed ? 1 : 0));
            if (fee != 0) {
                out.name("fees-paid").uint(fee);
            }
            if (fixed) {
                out.name("fixed-signer").text(member.fixedSigner().toString());
            }
            out.name("txn-result");
            new TransactionForm(member.signed(), "", 0, member.applied()).write(out);
            out.endMap();
        }
    }
}
