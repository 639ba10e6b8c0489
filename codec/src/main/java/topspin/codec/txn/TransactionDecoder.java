package topspin.codec.txn;

import static topspin.codec.txn.Keys.*;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.Longs;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Reads canonical transactions, and refuses all others with a reason and an offset: what it takes,
 * {@link TransactionEncoder} turns back into the same bytes. One per thread.
 *
 * <p>What it returns points into the array read, which must not change afterwards, and is all that
 * it allocates: 360 bytes for a group of one signed payment with a note (TransactionGroup 32, list
 * of members 24, SignedTransaction 64, Payment 32, header 64, two addresses 48 each, spans of note
 * and signature 24 each; a list is 40 and 4 for each item; less where object headers are compact).
 * A transaction's network is remembered from the one before, so that its name and hash are shared.
 */
public final class TransactionDecoder {
    private static final Set<TransactionType> NONE = Set.of();
    private static final TransactionHeader NO_HEADER =
            new TransactionHeader(Address.ZERO, 0, 0, 0, "", Digest.ZERO);
    private static final TransactionType[] TYPES = TransactionType.values();

    private final MsgpackReader in;
    private final PartDecoder parts;
    private final SignedTransaction[] members = new SignedTransaction[Limits.GROUP_SIZE];

    // Of the latest transaction: most of the next ones say the same.
    private String genesisId = "";
    private Digest genesisHash = Digest.ZERO;

    public TransactionDecoder() {
        this(new MsgpackReader());
    }

    /**
     * A decoder without bounds on fields and without required fields, for {@link LooseDecoder}. The
     * array must have an empty map behind the span: the transaction of those that have none.
     */
    static TransactionDecoder withoutBounds() {
        return new TransactionDecoder(MsgpackReader.withoutBounds());
    }

    TransactionDecoder(MsgpackReader in) {
        this.in = in;
        this.parts = new PartDecoder(in);
    }

    /** Decodes a group: one to sixteen signed transactions in a row, and nothing behind. */
    public TransactionGroup decodeGroup(byte[] bytes, int offset, int length)
            throws MalformedMessage {
        in.reset(bytes, offset, length);
        int size = 0;
        try {
            do {
                if (size == Limits.GROUP_SIZE) {
                    throw in.malformed("more than 16 transactions", in.position());
                }
                members[size++] = readSigned();
            } while (!in.atEnd());
            SignedTransaction[] group = new SignedTransaction[size];
            System.arraycopy(members, 0, group, 0, size);
            return new TransactionGroup(bytes, offset, length, group);
        } finally {
            // Neither the reader nor the scratch array may keep a message alive.
            for (int index = 0; index < size; index++) {
                members[index] = null;
            }
            in.release();
        }
    }

    /** Decodes one signed transaction, and nothing behind. */
    public SignedTransaction decodeSigned(byte[] bytes, int offset, int length)
            throws MalformedMessage {
        in.reset(bytes, offset, length);
        try {
            SignedTransaction signed = readSigned();
            refuseRest();
            return signed;
        } finally {
            in.release();
        }
    }

    /** Decodes one transaction without any signature, and nothing behind. */
    public Transaction decodeTransaction(byte[] bytes, int offset, int length)
            throws MalformedMessage {
        in.reset(bytes, offset, length);
        try {
            Transaction txn = readTransaction();
            refuseRest();
            return txn;
        } finally {
            in.release();
        }
    }

    private void refuseRest() throws MalformedMessage {
        if (!in.atEnd()) {
            throw in.malformed("bytes behind the end", in.position());
        }
    }

    private SignedTransaction readSigned() throws MalformedMessage {
        int start = in.position();
        int outer = in.openMap();
        LogicSignature logicSignature = parts.logicSignature(LSIG);
        MultisigSignature multisig = parts.multisig(MSIG);
        PqSignature pqSignature = parts.pqSignature(PQSIG);
        Address signer = in.address(SGNR);
        Bytes signature = parts.signature(SIG);
        int txnStart = in.position();
        int txnLength = 1;
        Transaction txn;
        if (in.at(TXN)) {
            txn = readTransaction();
            txnLength = in.position() - txnStart;
            in.endField();
        } else if (in.isBounded()) {
            in.closeElement(outer);
            throw in.malformed("required field txn missing", start);
        } else {
            txnStart = in.end();
            txn = new Misfit(NO_HEADER, "", NONE, null, Bytes.of(in.array(), txnStart, 1));
        }
        in.closeElement(outer);
        return new SignedTransaction(
                in.array(),
                start,
                in.position() - start,
                txnStart,
                txnLength,
                txn,
                signature,
                multisig,
                logicSignature,
                pqSignature,
                signer);
    }

    /**
     * Reads a transaction that stands as a value: inside a map, the caller then looks for the next
     * key.
     */
    Transaction readTransaction() throws MalformedMessage {
        int start = in.position();
        int outer = in.openMap();
        long assetAmount = in.uint(AAMT);
        Address assetCloseTo = in.address(ACLOSE);
        boolean frozen = in.flag(AFRZ);
        List<ResourceReference> access = parts.access(AL);
        long amount = in.uint(AMT);
        List<Bytes> arguments =
                parts.byteStrings(APAA, Limits.APPLICATION_ARGUMENTS, Integer.MAX_VALUE);
        long onCompletion = in.uint(APAN);
        Bytes approvalProgram = in.bytes(APAP, Limits.APPLICATION_PROGRAM_BYTES);
        AssetParams params = parts.assetParams(APAR);
        Longs foreignAssets = in.uints(APAS, Limits.APPLICATION_REFERENCES);
        List<Address> accounts = parts.addresses(APAT, Limits.APPLICATION_REFERENCES);
        List<BoxReference> boxes = parts.boxes(APBX);
        long extraProgramPages = in.uint(APEP, 0xffff_ffffL);
        Longs foreignApplications = in.uints(APFA, Limits.APPLICATION_REFERENCES);
        StateSchema globalSchema = parts.schema(APGS);
        long application = in.uint(APID);
        StateSchema localSchema = parts.schema(APLS);
        long rejectVersion = in.uint(APRV);
        Bytes clearProgram = in.bytes(APSU, Limits.APPLICATION_PROGRAM_BYTES);
        Address assetReceiver = in.address(ARCV);
        Address assetSender = in.address(ASND);
        long configAsset = in.uint(CAID);
        Address closeTo = in.address(CLOSE);
        Address freezeAccount = in.address(FADD);
        long freezeAsset = in.uint(FAID);
        long fee = in.uint(FEE);
        long firstValid = in.uint(FV);
        String network = in.string(GEN, Limits.GENESIS_ID_BYTES, genesisId);
        Digest networkHash = in.digest(GH, genesisHash);
        Digest group = in.digest(GRP);
        HeartbeatFields heartbeat = parts.heartbeat(HB);
        long lastValid = in.uint(LV);
        Digest lease = in.digest(LX);
        boolean nonParticipation = in.flag(NONPART);
        Bytes note = in.bytes(NOTE, Limits.NOTE_BYTES);
        Address receiver = in.address(RCV);
        Address rekeyTo = in.address(REKEY);
        Digest selectionKey = in.digest(SELKEY);
        int senderStart = in.fieldStart();
        Address sender = in.address(SND);
        Bytes proof = parts.stateProof(SP);
        StateProofMessage message = parts.stateProofMessage(SPMSG);
        Bytes stateProofKey = in.fixed(SPRFKEY, Limits.STATE_PROOF_KEY_BYTES);
        long proofType = in.uint(SPTYPE);
        TransactionType type = readType();
        String typeText = type == null ? in.string(TYPE, Limits.TYPE_BYTES, "") : type.wireName();
        long voteFirst = in.uint(VOTEFST);
        long voteKeyDilution = in.uint(VOTEKD);
        Digest voteKey = in.digest(VOTEKEY);
        long voteLast = in.uint(VOTELST);
        long asset = in.uint(XAID);
        in.closeElement(outer);

        if (in.isBounded() && (sender.isZero() || typeText.isEmpty())) {
            String name = sender.isZero() ? "snd" : "type";
            throw in.malformed("required field " + name + " missing", senderStart);
        }
        genesisId = network.isEmpty() ? genesisId : network;
        genesisHash = networkHash;
        var header =
                new TransactionHeader(
                        sender,
                        fee,
                        firstValid,
                        lastValid,
                        note,
                        network,
                        networkHash,
                        group,
                        lease,
                        rekeyTo);

        boolean pay = amount != 0 || !receiver.isZero() || !closeTo.isZero();
        boolean axfer =
                (asset | assetAmount) != 0
                        || !assetSender.isZero()
                        || !assetReceiver.isZero()
                        || !assetCloseTo.isZero();
        boolean acfg = configAsset != 0 || isSet(params, AssetParams.ZERO);
        boolean afrz = freezeAsset != 0 || frozen || !freezeAccount.isZero();
        boolean keyreg =
                (voteFirst | voteLast | voteKeyDilution) != 0
                        || nonParticipation
                        || !voteKey.isZero()
                        || !selectionKey.isZero()
                        || !stateProofKey.isEmpty();
        boolean appl =
                (application | onCompletion | extraProgramPages | rejectVersion) != 0
                        || !arguments.isEmpty()
                        || !accounts.isEmpty()
                        || !foreignApplications.isEmpty()
                        || !foreignAssets.isEmpty()
                        || !boxes.isEmpty()
                        || !access.isEmpty()
                        || isSet(localSchema, StateSchema.ZERO)
                        || isSet(globalSchema, StateSchema.ZERO)
                        || !approvalProgram.isEmpty()
                        || !clearProgram.isEmpty();
        boolean stpf = proofType != 0 || !proof.isEmpty() || isSet(message, StateProofMessage.ZERO);
        boolean hb = heartbeat != null;
        int present =
                bit(pay, TransactionType.PAYMENT)
                        | bit(keyreg, TransactionType.KEY_REGISTRATION)
                        | bit(acfg, TransactionType.ASSET_CONFIG)
                        | bit(axfer, TransactionType.ASSET_TRANSFER)
                        | bit(afrz, TransactionType.ASSET_FREEZE)
                        | bit(appl, TransactionType.APPLICATION_CALL)
                        | bit(stpf, TransactionType.STATE_PROOF)
                        | bit(hb, TransactionType.HEARTBEAT);
        Transaction own =
                type == null
                        ? null
                        : switch (type) {
                            case PAYMENT -> new Payment(header, receiver, amount, closeTo);
                            case KEY_REGISTRATION ->
                                    new KeyRegistration(
                                            header,
                                            voteKey,
                                            selectionKey,
                                            stateProofKey,
                                            voteFirst,
                                            voteLast,
                                            voteKeyDilution,
                                            nonParticipation);
                            case ASSET_CONFIG -> new AssetConfig(header, configAsset, params);
                            case ASSET_TRANSFER ->
                                    new AssetTransfer(
                                            header,
                                            asset,
                                            assetAmount,
                                            assetSender,
                                            assetReceiver,
                                            assetCloseTo);
                            case ASSET_FREEZE ->
                                    new AssetFreeze(header, freezeAccount, freezeAsset, frozen);
                            case APPLICATION_CALL ->
                                    new ApplicationCall(
                                            header,
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
                            case STATE_PROOF -> new StateProof(header, proofType, proof, message);
                            case HEARTBEAT -> new Heartbeat(header, heartbeat);
                        };
        if (type == null || own == null || (present & ~bit(true, type)) != 0) {
            return new Misfit(
                    header,
                    typeText,
                    foreign(present, type),
                    own,
                    Bytes.of(in.array(), start, in.position() - start));
        }
        return own;
    }

    /** The type if it is a known one, its field then read; null, nothing read, if not. */
    private @Nullable TransactionType readType() throws MalformedMessage {
        if (in.at(TYPE)) {
            for (TransactionType type : TYPES) {
                if (in.startsWith(type.wireKey())) {
                    in.skip();
                    in.endField();
                    return type;
                }
            }
        }
        return null;
    }

    /** Parts that are absent are the constant itself; those that are there hold something. */
    @SuppressWarnings("ReferenceEquality")
    private static <T> boolean isSet(T part, T zero) {
        return part != zero;
    }

    private static int bit(boolean present, TransactionType type) {
        return present ? type.bit() : 0;
    }

    private static Set<TransactionType> foreign(int present, @Nullable TransactionType own) {
        if (own == null) {
            return NONE;
        }
        Set<TransactionType> foreign = EnumSet.noneOf(TransactionType.class);
        for (TransactionType type : TYPES) {
            if (type != own && (present & bit(true, type)) != 0) {
                foreign.add(type);
            }
        }
        return foreign;
    }
}
