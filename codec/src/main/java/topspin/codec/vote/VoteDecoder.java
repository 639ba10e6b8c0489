package topspin.codec.vote;

import static topspin.codec.vote.Keys.*;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.crypto.OneTimeSignature;
import topspin.codec.msgpack.Key;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;

import java.util.ArrayList;
import java.util.List;

/**
 * Reads canonical votes and bundles, and refuses all others with a reason and an offset: what it
 * takes, {@link VoteEncoder} turns back into the same bytes. One per thread.
 */
public final class VoteDecoder {
    static final int CREDENTIAL_BYTES = 80;
    private static final int SIGNATURE_BYTES = 64;

    private final MsgpackReader in;

    public VoteDecoder() {
        this(new MsgpackReader());
    }

    /** Reads from a reader that its owner positions. */
    VoteDecoder(MsgpackReader in) {
        this.in = in;
    }

    /** Decodes a vote, and nothing behind. */
    public Vote decodeVote(byte[] bytes, int offset, int length) throws MalformedMessage {
        in.reset(bytes, offset, length);
        try {
            Vote vote = readVote();
            refuseRest();
            return vote;
        } finally {
            in.release();
        }
    }

    /** Reads a vote that stands as a value. */
    Vote readVote() throws MalformedMessage {
        int outer = in.openMap();
        Bytes credential = Bytes.EMPTY;
        if (in.atMap(CRED)) {
            credential = readCredential();
            in.endField();
        }
        RawVote raw = new RawVote(Address.ZERO, 0, 0, 0, ProposalValue.BOTTOM);
        if (in.atMap(R)) {
            raw = readRaw();
            in.endField();
        }
        VoteSignature signature = signature();
        in.closeElement(outer);
        return new Vote(raw, credential, signature);
    }

    /** Decodes a bundle or certificate, and nothing behind. */
    public Bundle decodeBundle(byte[] bytes, int offset, int length) throws MalformedMessage {
        in.reset(bytes, offset, length);
        try {
            int outer = in.openMap();
            List<Bundle.Pair> pairs = new ArrayList<>();
            int pairCount = in.array(EQV, Bundle.VOTES_MAX);
            for (int index = 0; index < pairCount; index++) {
                pairs.add(readPair());
            }
            if (pairCount > 0) {
                in.endField();
            }
            long period = in.uint(PER);
            ProposalValue value = value(PROP);
            long round = in.uint(RND);
            long step = in.uint(STEP);
            List<Bundle.Member> votes = new ArrayList<>();
            int voteCount = in.array(VOTE, Bundle.VOTES_MAX);
            for (int index = 0; index < voteCount; index++) {
                votes.add(readMember());
            }
            if (voteCount > 0) {
                in.endField();
            }
            in.closeElement(outer);
            refuseRest();
            return new Bundle(round, period, step, value, votes, pairs);
        } finally {
            in.release();
        }
    }

    private void refuseRest() throws MalformedMessage {
        if (!in.atEnd()) {
            throw in.malformed("bytes behind the end", in.position());
        }
    }

    private RawVote readRaw() throws MalformedMessage {
        int outer = in.openMap();
        long period = in.uint(PER);
        ProposalValue value = value(PROP);
        long round = in.uint(RND);
        Address sender = in.address(SND);
        long step = in.uint(STEP);
        in.closeElement(outer);
        return new RawVote(sender, round, period, step, value);
    }

    private Bundle.Member readMember() throws MalformedMessage {
        int outer = in.openMap();
        require(CRED);
        Bytes credential = readCredential();
        in.endField();
        VoteSignature signature = signature();
        Address sender = readSender();
        in.closeElement(outer);
        return new Bundle.Member(sender, credential, signature);
    }

    private Bundle.Pair readPair() throws MalformedMessage {
        int outer = in.openMap();
        require(CRED);
        Bytes credential = readCredential();
        in.endField();
        require(PROPS);
        requireTwo();
        ProposalValue firstValue = readValue();
        ProposalValue secondValue = readValue();
        in.endField();
        require(SIG);
        requireTwo();
        VoteSignature firstSignature = readSignature();
        VoteSignature secondSignature = readSignature();
        in.endField();
        Address sender = readSender();
        in.closeElement(outer);
        return new Bundle.Pair(
                sender, credential, firstValue, secondValue, firstSignature, secondSignature);
    }

    private Address readSender() throws MalformedMessage {
        require(SND);
        Address sender = in.readAddress();
        in.endField();
        return sender;
    }

    private Bytes readCredential() throws MalformedMessage {
        int outer = in.openMap();
        Bytes proof = in.fixed(PF, CREDENTIAL_BYTES);
        in.closeElement(outer);
        return proof;
    }

    private ProposalValue value(Key key) throws MalformedMessage {
        if (!in.atMap(key)) {
            return ProposalValue.BOTTOM;
        }
        ProposalValue value = readValue();
        in.endField();
        return value;
    }

    private ProposalValue readValue() throws MalformedMessage {
        int outer = in.openMap();
        Digest blockDigest = in.digest(DIG);
        Digest encodingDigest = in.digest(ENCDIG);
        long originalPeriod = in.uint(OPER);
        Address originalProposer = in.address(OPROP);
        in.closeElement(outer);
        return new ProposalValue(originalPeriod, originalProposer, blockDigest, encodingDigest);
    }

    private @Nullable VoteSignature signature() throws MalformedMessage {
        if (!in.at(SIG)) {
            return null;
        }
        int start = in.position();
        VoteSignature signature = readSignature();
        if (isZero(signature)) {
            throw in.malformed("zero value present under key " + SIG, start);
        }
        in.endField();
        return signature;
    }

    /** A signature, all of its fields being there, zero or not. */
    private VoteSignature readSignature() throws MalformedMessage {
        int outer = in.openMap();
        Digest publicKey = readKey(P);
        Bytes publicKeySignature = readPart(P1S);
        Digest batchKey = readKey(P2);
        Bytes batchKeySignature = readPart(P2S);
        Bytes unused = readPart(PS);
        Bytes signature = readPart(S);
        in.closeElement(outer);
        var oneTime =
                new OneTimeSignature(
                        signature, publicKey, publicKeySignature, batchKey, batchKeySignature);
        return new VoteSignature(oneTime, isZero(unused) ? Bytes.EMPTY : unused);
    }

    private Digest readKey(Key key) throws MalformedMessage {
        require(key);
        Digest value = in.readDigest();
        in.endField();
        return value;
    }

    private Bytes readPart(Key key) throws MalformedMessage {
        require(key);
        Bytes part = in.readFixed(SIGNATURE_BYTES);
        in.endField();
        return part;
    }

    private void require(Key key) throws MalformedMessage {
        if (!in.at(key)) {
            throw in.malformed("field " + key + " missing", in.fieldStart());
        }
    }

    private void requireTwo() throws MalformedMessage {
        int start = in.position();
        if (in.readArrayHeader(2) != 2) {
            throw in.malformed("two are due", start);
        }
    }

    private static boolean isZero(VoteSignature signature) {
        OneTimeSignature oneTime = signature.oneTime();
        return signature.unused().isEmpty()
                && oneTime.publicKey().isZero()
                && oneTime.batchKey().isZero()
                && isZero(oneTime.signature())
                && isZero(oneTime.publicKeySignature())
                && isZero(oneTime.batchKeySignature());
    }

    private static boolean isZero(Bytes bytes) {
        for (int index = 0; index < bytes.length(); index++) {
            if (bytes.byteAt(index) != 0) {
                return false;
            }
        }
        return true;
    }
}
