package topspin.codec.vote;

import static topspin.codec.vote.Keys.*;

import org.jspecify.annotations.Nullable;

import topspin.codec.Bytes;
import topspin.codec.crypto.OneTimeSignature;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.Key;

/**
 * The canonical bytes of votes and bundles. One-time signatures and the entries of a bundle keep
 * fields that are zero; everything else leaves them out.
 */
public final class VoteEncoder {
    private static final Bytes ZEROS = Bytes.of(new byte[64]);

    private VoteEncoder() {}

    /** What a vote's signature covers, without the prefix {@code VO}. */
    public static byte[] encode(RawVote raw) {
        var out = new CanonicalWriter(256);
        long map = out.openMap();
        fields(raw, out);
        out.closeMap(map);
        return out.toByteArray();
    }

    /** A vote as it travels. */
    public static byte[] encode(Vote vote) {
        var out = new CanonicalWriter(1024);
        long map = out.openMap();
        fields(vote, out);
        out.closeMap(map);
        return out.toByteArray();
    }

    /** The fields of a vote, in a map that the caller opens and closes. */
    static void fields(Vote vote, CanonicalWriter out) {
        if (!vote.credential().isEmpty()) {
            credential(vote.credential(), out);
        }
        long raw = out.openMapField(R);
        fields(vote.raw(), out);
        out.closeMapField(R, raw);
        signature(vote.signature(), out);
    }

    /** A bundle as it travels, or a certificate as it is stored. */
    public static byte[] encode(Bundle bundle) {
        var out = new CanonicalWriter(4096);
        long map = out.openMap();
        out.arrayHeader(EQV, bundle.pairs().size());
        for (Bundle.Pair pair : bundle.pairs()) {
            pair(pair, out);
        }
        out.uint(PER, bundle.period());
        value(PROP, bundle.value(), out);
        out.uint(RND, bundle.round());
        out.uint(STEP, bundle.step());
        out.arrayHeader(VOTE, bundle.votes().size());
        for (Bundle.Member member : bundle.votes()) {
            long element = out.openMap();
            credential(member.credential(), out);
            signature(member.signature(), out);
            out.key(SND);
            out.writeAddress(member.sender());
            out.closeMap(element);
        }
        out.closeMap(map);
        return out.toByteArray();
    }

    private static void fields(RawVote raw, CanonicalWriter out) {
        out.uint(PER, raw.period());
        value(PROP, raw.value(), out);
        out.uint(RND, raw.round());
        out.address(SND, raw.sender());
        out.uint(STEP, raw.step());
    }

    private static void pair(Bundle.Pair pair, CanonicalWriter out) {
        long element = out.openMap();
        credential(pair.credential(), out);
        out.key(PROPS);
        out.writeArrayHeader(2);
        value(pair.firstValue(), out);
        value(pair.secondValue(), out);
        out.key(SIG);
        out.writeArrayHeader(2);
        present(pair.firstSignature(), out);
        present(pair.secondSignature(), out);
        out.key(SND);
        out.writeAddress(pair.sender());
        out.closeMap(element);
    }

    private static void value(Key key, ProposalValue value, CanonicalWriter out) {
        long map = out.openMapField(key);
        fields(value, out);
        out.closeMapField(key, map);
    }

    private static void value(ProposalValue value, CanonicalWriter out) {
        long map = out.openMap();
        fields(value, out);
        out.closeMap(map);
    }

    private static void fields(ProposalValue value, CanonicalWriter out) {
        out.digest(DIG, value.blockDigest());
        out.digest(ENCDIG, value.encodingDigest());
        out.uint(OPER, value.originalPeriod());
        out.address(OPROP, value.originalProposer());
    }

    private static void credential(Bytes credential, CanonicalWriter out) {
        out.key(CRED);
        long map = out.openMap();
        out.bytes(PF, credential);
        out.closeMap(map);
    }

    private static void signature(@Nullable VoteSignature signature, CanonicalWriter out) {
        if (signature != null) {
            out.key(SIG);
            present(signature, out);
        }
    }

    private static void present(VoteSignature signature, CanonicalWriter out) {
        OneTimeSignature oneTime = signature.oneTime();
        long map = out.openMap();
        out.key(P);
        out.writeDigest(oneTime.publicKey());
        bytes(P1S, oneTime.publicKeySignature(), out);
        out.key(P2);
        out.writeDigest(oneTime.batchKey());
        bytes(P2S, oneTime.batchKeySignature(), out);
        bytes(PS, signature.unused().isEmpty() ? ZEROS : signature.unused(), out);
        bytes(S, oneTime.signature(), out);
        out.closeMap(map);
    }

    private static void bytes(Key key, Bytes bytes, CanonicalWriter out) {
        out.key(key);
        out.writeBytes(bytes);
    }
}
