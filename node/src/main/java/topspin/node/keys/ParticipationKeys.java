package topspin.node.keys;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.Sha512_256;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.Key;

/**
 * The keys that one account takes part with for a range of rounds. Holds secrets, which {@link
 * #toString} keeps to itself.
 *
 * @param id by which REST names them
 * @param account whose they are
 * @param firstValid first round in which they are valid
 * @param lastValid last round in which they are valid, at least {@code firstValid}
 * @param dilution rounds that share one batch key, positive
 * @param vrfSecret 32 bytes of seed and 32 of public key
 * @param voteKey verifies one-time signatures
 * @param voting the secrets of one-time signatures in the reference's msgpack, as far as not
 *     deleted
 * @param stateProofKey 64 bytes; empty for keys without
 */
public record ParticipationKeys(
        Digest id,
        Address account,
        long firstValid,
        long lastValid,
        long dilution,
        Bytes vrfSecret,
        Digest voteKey,
        Bytes voting,
        Bytes stateProofKey) {
    static final int VRF_SECRET_BYTES = 64;

    private static final Key ADDR = Key.of("addr");
    private static final Key FV = Key.of("fv");
    private static final Key KD = Key.of("kd");
    private static final Key LV = Key.of("lv");
    private static final Key VOTE_ID = Key.of("vote-id");
    private static final Key VRFSK = Key.of("vrfsk");

    /** Puts keys together under the id that follows from them. */
    static ParticipationKeys of(
            Address account,
            long firstValid,
            long lastValid,
            long dilution,
            Bytes vrfSecret,
            Digest voteKey,
            Bytes voting,
            Bytes stateProofKey) {
        CanonicalWriter out = new CanonicalWriter();
        long map = out.openMap();
        out.address(ADDR, account);
        out.uint(FV, firstValid);
        out.uint(KD, dilution);
        out.uint(LV, lastValid);
        out.digest(VOTE_ID, voteKey);
        out.bytes(VRFSK, vrfSecret);
        out.closeMap(map);
        Digest id = Digest.fromBytes(Sha512_256.digest(Domain.PK, out.toByteArray()));
        return new ParticipationKeys(
                id,
                account,
                firstValid,
                lastValid,
                dilution,
                vrfSecret,
                voteKey,
                voting,
                stateProofKey);
    }

    /** The same keys with fewer secrets of one-time signatures. */
    ParticipationKeys withVoting(Bytes left) {
        return new ParticipationKeys(
                id,
                account,
                firstValid,
                lastValid,
                dilution,
                vrfSecret,
                voteKey,
                left,
                stateProofKey);
    }

    /** As a file that this ecosystem's tools read; its owner wipes it when done. */
    public byte[] toFile() {
        return PartKeyFile.write(this);
    }

    /** By which sortition proofs are verified. */
    public Digest selectionKey() {
        return Digest.of(vrfSecret.array(), vrfSecret.offset() + VRF_SECRET_BYTES / 2);
    }

    @Override
    public String toString() {
        return "ParticipationKeys[" + id + " of " + account + "]";
    }
}
