package topspin.codec.block;

import static topspin.codec.block.Keys.*;

import topspin.codec.Address;
import topspin.codec.Digest;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.HashFunction;
import topspin.codec.crypto.Sha512_256;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.Key;
import topspin.codec.txn.BlockTransaction;

import java.util.List;

/** The canonical bytes of headers and blocks, and the hashes of headers (block.md section 1). */
public final class BlockEncoder {
    private BlockEncoder() {}

    /** The canonical bytes of a header. */
    public static byte[] encodeHeader(BlockHeader header) {
        var out = new CanonicalWriter();
        encode(header, out);
        return out.toByteArray();
    }

    /** The canonical bytes of a block, as it is stored and served. */
    public static byte[] encodeBlock(Block block) {
        int size = 4096;
        for (BlockTransaction transaction : block.transactions()) {
            size += transaction.encoding().length();
        }
        var out = new CanonicalWriter(size);
        encode(block, out);
        return out.toByteArray();
    }

    /** Appends the canonical bytes of a header. */
    public static void encode(BlockHeader header, CanonicalWriter out) {
        long map = out.openMap();
        before(header, out);
        after(header, out);
        out.closeMap(map);
    }

    /** Appends the canonical bytes of a block. */
    public static void encode(Block block, CanonicalWriter out) {
        long map = out.openMap();
        before(block.header(), out);
        List<BlockTransaction> transactions = block.transactions();
        out.arrayHeader(TXNS, transactions.size());
        for (int index = 0; index < transactions.size(); index++) {
            out.raw(transactions.get(index).encoding());
        }
        after(block.header(), out);
        out.closeMap(map);
    }

    /**
     * The hash of a block, which is that of its header: what the next one names as the previous.
     */
    public static Digest hash(BlockHeader header) {
        byte[] bytes = encodeHeader(header);
        byte[] hash = new byte[Digest.BYTES];
        Sha512_256.digest(Domain.BH, bytes, 0, bytes.length, hash, 0);
        return Digest.of(hash, 0);
    }

    /** SHA-512 of a header, 64 bytes: {@code prev512} of the next one. */
    public static byte[] hash512(BlockHeader header) {
        byte[] bytes = encodeHeader(header);
        return HashFunction.SHA512.digest(Domain.BH, bytes, 0, bytes.length);
    }

    /** The map that is served: block and certificate, each as it is stored (block.md section 9). */
    public static byte[] encodeServed(byte[] block, byte[] certificate) {
        var out = new CanonicalWriter(block.length + certificate.length + 16);
        long map = out.openMap();
        out.key(BLOCK);
        out.raw(block);
        out.key(CERT);
        out.raw(certificate);
        out.closeMap(map);
        return out.toByteArray();
    }

    private static void before(BlockHeader header, CanonicalWriter out) {
        out.uint(BI, header.bonus());
        out.uint(CT, header.congestionTax());
        out.uint(EARN, header.rewardsLevel());
        out.uint(FC, header.feesCollected());
        out.address(FEES, header.feeSink());
        out.uint(FRAC, header.rewardsResidue());
        out.text(GEN, header.genesisId());
        out.digest(GH, header.genesisHash());
        out.uint(LD, header.load());
        out.uint(NEXTBEFORE, header.nextProtocolVoteBefore());
        out.text(NEXTPROTO, header.nextProtocol());
        out.uint(NEXTSWITCH, header.nextProtocolSwitchOn());
        out.uint(NEXTYES, header.nextProtocolApprovals());
        addresses(PARTUPDABS, header.absentAccounts(), out);
        addresses(PARTUPDRMV, header.expiredAccounts(), out);
        out.uint(PP, header.payout());
        out.digest(PREV, header.previous());
        out.bytes(PREV512, header.previous512());
        out.text(PROTO, header.protocol());
        out.address(PRP, header.proposer());
        out.uint(RATE, header.rewardsRate());
        out.uint(RND, header.round());
        out.uint(RWCALR, header.rewardsRecalculationRound());
        out.address(RWD, header.rewardsPool());
        out.digest(SEED, header.seed());
        tracking(header.stateProofTracking(), out);
        out.uint(TC, header.transactionCounter());
        out.signed(TS, header.timestamp());
        out.digest(TXN, header.transactionRoot());
        out.digest(TXN256, header.sha256Root());
        out.bytes(TXN512, header.sha512Root());
    }

    private static void after(BlockHeader header, CanonicalWriter out) {
        out.uint(UPGRADEDELAY, header.upgradeDelay());
        out.text(UPGRADEPROP, header.upgradePropose());
        out.flag(UPGRADEYES, header.upgradeApprove());
    }

    private static void tracking(List<BlockHeader.StateProofTracking> types, CanonicalWriter out) {
        if (types.isEmpty()) {
            return;
        }
        out.key(SPT);
        out.writeMapHeader(types.size());
        for (BlockHeader.StateProofTracking tracking : types) {
            out.writeUint(tracking.type());
            long map = out.openMap();
            out.uint(N, tracking.nextRound());
            out.uint(T, tracking.onlineTotalWeight());
            out.bytes(V, tracking.votersCommitment());
            out.closeMap(map);
        }
    }

    private static void addresses(Key key, List<Address> addresses, CanonicalWriter out) {
        out.arrayHeader(key, addresses.size());
        for (Address address : addresses) {
            out.writeAddress(address);
        }
    }
}
