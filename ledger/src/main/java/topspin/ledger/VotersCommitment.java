package topspin.ledger;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.SumHash512;
import topspin.codec.params.ConsensusParams;
import topspin.ledger.account.Account;
import topspin.ledger.account.Participation;
import topspin.ledger.account.Uint64;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Commits to who may sign the next state proof: the greatest online accounts as leaves of a vector
 * commitment (agreement.md section 12).
 */
final class VotersCommitment {
    /** Rounds that one ephemeral key of a state-proof key signs for. */
    private static final long KEY_LIFETIME = 256;

    private VotersCommitment() {}

    /** An account, and its weight now and apart from rewards that others have not drawn yet. */
    private record Voter(Address address, Account account, long normalized) {}

    /**
     * @param snapshot the round whose stake counts
     * @param proven the round that voters' keys must reach
     * @return 64 bytes; when nobody is online, the root of a tree without leaves
     */
    static Bytes of(RoundState base, ConsensusParams params, long snapshot, long proven) {
        List<Voter> voters = new ArrayList<>();
        base.forEachOnline(
                snapshot,
                (address, account) -> {
                    Participation keys = account.participation();
                    if (!Uint64.less(proven, keys.voteFirst())
                            && !Uint64.less(keys.voteLast(), proven)) {
                        voters.add(new Voter(address, account, normalized(account, params)));
                    }
                });
        voters.sort(
                Comparator.comparing(Voter::normalized, Long::compareUnsigned)
                        .thenComparing(Voter::address)
                        .reversed());
        int count = Math.min(voters.size(), params.stateProofTopVoters());
        long level = base.header(snapshot).rewardsLevel();
        byte[] missing = hash(Domain.MB, new byte[0]);
        int size = count <= 1 ? 1 : Integer.highestOneBit(count - 1) << 1;
        byte[][] layer = new byte[size][];
        int bits = Integer.numberOfTrailingZeros(size);
        for (int i = 0; i < size; i++) {
            int position = bits == 0 ? 0 : Integer.reverse(i) >>> (Integer.SIZE - bits);
            layer[position] =
                    i < count ? leaf(voters.get(i).account, level, params, missing) : missing;
        }
        return Bytes.of(root(layer));
    }

    /** What the balance was worth when the rewards level was 0, so that accounts compare. */
    private static long normalized(Account account, ConsensusParams params) {
        long unit = params.rewardUnit();
        return Uint64.multiplyDivide(
                account.balance(), unit, Uint64.saturatingAdd(unit, account.rewardsBase()));
    }

    private static byte[] leaf(
            Account account, long level, ConsensusParams params, byte[] missingKey) {
        Bytes key = account.participation().stateProofKey();
        byte[] leaf = new byte[2 * Long.BYTES + Participation.STATE_PROOF_KEY_BYTES];
        ByteBuffer.wrap(leaf)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(account.balanceAt(level, params.rewardUnit()))
                .putLong(KEY_LIFETIME)
                .put(key.isEmpty() ? missingKey : key.toArray());
        return hash(Domain.SPP, leaf);
    }

    private static byte[] root(byte[][] leaves) {
        byte[][] layer = leaves;
        while (layer.length > 1) {
            byte[][] above = new byte[layer.length / 2][];
            for (int i = 0; i < above.length; i++) {
                byte[] pair = new byte[layer[2 * i].length * 2];
                System.arraycopy(layer[2 * i], 0, pair, 0, pair.length / 2);
                System.arraycopy(layer[2 * i + 1], 0, pair, pair.length / 2, pair.length / 2);
                above[i] = hash(Domain.MA, pair);
            }
            layer = above;
        }
        return layer[0];
    }

    private static byte[] hash(Domain domain, byte[] body) {
        byte[] message = domain.prepend(body, 0, body.length);
        return SumHash512.digest(message, 0, message.length);
    }
}
