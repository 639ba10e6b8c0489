package topspin.node.agreement;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.Sha512_256;
import topspin.codec.crypto.Vrf;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.Key;
import topspin.node.agreement.StakeSource.OnlineAccount;

/**
 * The seed that a block brings into the chain (agreement.md 6): drawn by its proposer in period 0,
 * and by nobody in later ones; every so often with an old block mixed in.
 */
public final class SeedRule {
    private static final Key ADDR = Key.of("addr");
    private static final Key ALPHA = Key.of("alpha");
    private static final Key HIST = Key.of("hist");
    private static final Key VRF = Key.of("vrf");

    private SeedRule() {}

    /**
     * The seed that a proposal must carry.
     *
     * @param proof of period 0; ignored in later ones
     * @return null if the proof is not the proposer's
     */
    public static @Nullable Digest expected(
            long round,
            long originalPeriod,
            Address proposer,
            Bytes proof,
            OnlineAccount account,
            StakeSource ledger)
            throws HistoryUnknown {
        Digest previous = previous(round, ledger);
        if (originalPeriod != 0) {
            return later(round, ledger);
        }
        byte[] message = previous.toBytes();
        var output = new byte[Vrf.OUTPUT_BYTES];
        boolean isProven =
                proof.length() == Vrf.PROOF_BYTES
                        && Vrf.verify(
                                account.selectionKey().toBytes(),
                                0,
                                proof.array(),
                                proof.offset(),
                                Domain.SD,
                                message,
                                0,
                                message.length,
                                output,
                                0);
        return isProven ? first(round, proposer, output, ledger) : null;
    }

    /** What a proposer of period 0 proves over, behind {@code SD}: an earlier block's seed. */
    public static Digest previous(long round, StakeSource ledger) throws HistoryUnknown {
        AgreementRules rules = ledger.rules(Lookback.paramsRound(round));
        return ledger.seed(Lookback.seedRound(round, rules));
    }

    /** The seed of a block made in period 0, by the output of its proposer's VRF. */
    public static Digest first(long round, Address proposer, byte[] vrfOutput, StakeSource ledger)
            throws HistoryUnknown {
        var out = new CanonicalWriter(128);
        long map = out.openMap();
        out.key(ADDR);
        out.writeAddress(proposer);
        out.key(VRF);
        out.writeBytes(vrfOutput, 0, vrfOutput.length);
        out.closeMap(map);
        return mix(round, Sha512_256.digest(Domain.PS, out.toByteArray()), ledger);
    }

    /** The seed of a block made in a later period. */
    public static Digest later(long round, StakeSource ledger) throws HistoryUnknown {
        byte[] previous = previous(round, ledger).toBytes();
        return mix(round, Sha512_256.digest(Domain.SD, previous), ledger);
    }

    private static Digest mix(long round, byte[] alpha, StakeSource ledger) throws HistoryUnknown {
        AgreementRules rules = ledger.rules(Lookback.paramsRound(round));
        long lookback = rules.params().seedLookback();
        long interval = lookback * rules.params().seedRefreshInterval();
        Digest history =
                round % interval < lookback
                        ? ledger.headerHash(Lookback.before(round, interval))
                        : Digest.ZERO;
        var out = new CanonicalWriter(96);
        long map = out.openMap();
        out.key(ALPHA);
        out.writeBytes(alpha, 0, alpha.length);
        out.key(HIST);
        out.writeDigest(history);
        out.closeMap(map);
        return Digest.fromBytes(Sha512_256.digest(Domain.PS, out.toByteArray()));
    }
}
