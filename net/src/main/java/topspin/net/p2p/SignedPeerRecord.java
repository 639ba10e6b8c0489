package topspin.net.p2p;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

import org.jspecify.annotations.Nullable;

import topspin.codec.crypto.Domain;
import topspin.codec.crypto.Ed25519;
import topspin.codec.crypto.Ed25519.KeyPair;
import topspin.net.Uvarint;
import topspin.net.multiaddr.Multiaddr;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Where a peer says it can be dialled, under its own signature (gossip.md A.5): a record in an
 * envelope, so that it can be passed on.
 *
 * @param peer whose record it is
 * @param sequence of two records of a peer the larger one holds; unsigned, below 2^63
 * @param addresses in the order given, at most {@link #ADDRESSES_MAX}
 */
record SignedPeerRecord(PeerId peer, long sequence, List<Multiaddr> addresses) {
    /** Addresses that are kept of a record. */
    static final int ADDRESSES_MAX = 128;

    private static final byte[] DOMAIN = "libp2p-peer-record".getBytes(US_ASCII);
    private static final byte[] TYPE = HexFormat.of().parseHex("0301");

    // Fields of the envelope, of the record, and of one address in it.
    private static final int PUBLIC_KEY = 1;
    private static final int PAYLOAD_TYPE = 2;
    private static final int PAYLOAD = 3;
    private static final int SIGNATURE = 5;
    private static final int PEER = 1;
    private static final int SEQUENCE = 2;
    private static final int ADDRESS = 3;
    private static final int MULTIADDR = 1;

    SignedPeerRecord {
        addresses = List.copyOf(addresses);
    }

    /** The record of whoever has this key, as an envelope. */
    static byte[] seal(KeyPair identity, long sequence, List<Multiaddr> addresses) {
        PeerId peer = PeerId.of(identity.publicKey());
        ByteBuf record = Unpooled.buffer();
        Protobuf.write(PEER, peer.toBytes(), record);
        Uvarint.write(Protobuf.tag(SEQUENCE, Protobuf.VARINT), record);
        Uvarint.write(sequence, record);
        for (Multiaddr address : addresses) {
            ByteBuf info = Unpooled.buffer();
            Protobuf.write(MULTIADDR, address.toBytes(), info);
            Protobuf.write(ADDRESS, ByteBufUtil.getBytes(info), record);
        }
        byte[] payload = ByteBufUtil.getBytes(record);
        ByteBuf envelope = Unpooled.buffer();
        Protobuf.write(PUBLIC_KEY, peer.publicKey(), envelope);
        Protobuf.write(PAYLOAD_TYPE, TYPE, envelope);
        Protobuf.write(PAYLOAD, payload, envelope);
        Protobuf.write(SIGNATURE, identity.sign(Domain.NONE, signed(payload)), envelope);
        return ByteBufUtil.getBytes(envelope);
    }

    private static byte[] signed(byte[] payload) {
        ByteBuf signed = Unpooled.buffer();
        for (byte[] part : List.of(DOMAIN, TYPE, payload)) {
            Uvarint.write(part.length, signed);
            signed.writeBytes(part);
        }
        return ByteBufUtil.getBytes(signed);
    }

    /** Reads an envelope; null if it is malformed, or not signed by the peer that it is about. */
    static @Nullable SignedPeerRecord open(byte[] envelope) {
        byte[] key = {};
        byte[] type = {};
        byte[] payload = {};
        byte[] signature = {};
        ByteBuf fields = Unpooled.wrappedBuffer(envelope);
        while (fields.isReadable()) {
            int tag = Protobuf.tag(fields);
            boolean known = tag > 0 && (tag & 7) == Protobuf.BYTES && tag >> 3 <= SIGNATURE;
            if (!known) {
                if (!Protobuf.skip(tag, fields)) {
                    return null;
                }
                continue;
            }
            byte[] value = Protobuf.bytes(fields);
            if (value == null) {
                return null;
            }
            switch (tag >> 3) {
                case PUBLIC_KEY -> key = value;
                case PAYLOAD_TYPE -> type = value;
                case PAYLOAD -> payload = value;
                case SIGNATURE -> signature = value;
                default -> {}
            }
        }
        PeerId signer = PeerId.ofPublicKey(key);
        if (signer == null
                || !Arrays.equals(type, TYPE)
                || !Ed25519.verify(signer.key(), signature, Domain.NONE, signed(payload))) {
            return null;
        }
        SignedPeerRecord record = read(Unpooled.wrappedBuffer(payload));
        return record != null && record.peer.equals(signer) ? record : null;
    }

    /** Reads what is in an envelope; null if it is malformed. */
    static @Nullable SignedPeerRecord read(ByteBuf fields) {
        PeerId peer = null;
        long sequence = 0;
        List<Multiaddr> addresses = new ArrayList<>();
        while (fields.isReadable()) {
            int tag = Protobuf.tag(fields);
            if (tag == Protobuf.tag(PEER, Protobuf.BYTES)) {
                byte[] multihash = Protobuf.bytes(fields);
                peer = multihash == null ? null : PeerId.ofMultihash(multihash);
                if (peer == null) {
                    return null;
                }
            } else if (tag == Protobuf.tag(SEQUENCE, Protobuf.VARINT)) {
                sequence = Protobuf.varint(fields);
                if (sequence < 0) {
                    return null;
                }
            } else if (tag == Protobuf.tag(ADDRESS, Protobuf.BYTES)) {
                byte[] info = Protobuf.bytes(fields);
                if (info == null || !readAddress(Unpooled.wrappedBuffer(info), addresses)) {
                    return null;
                }
            } else if (!Protobuf.skip(tag, fields)) {
                return null;
            }
        }
        return peer == null ? null : new SignedPeerRecord(peer, sequence, addresses);
    }

    /** An address of a kind that we do not know is left out, as what is one too many. */
    private static boolean readAddress(ByteBuf fields, List<Multiaddr> addresses) {
        while (fields.isReadable()) {
            int tag = Protobuf.tag(fields);
            if (tag == Protobuf.tag(MULTIADDR, Protobuf.BYTES)) {
                byte[] packed = Protobuf.bytes(fields);
                if (packed == null) {
                    return false;
                }
                Multiaddr address = Multiaddr.decode(packed, 0, packed.length);
                if (address != null && addresses.size() < ADDRESSES_MAX) {
                    addresses.add(address);
                }
            } else if (!Protobuf.skip(tag, fields)) {
                return false;
            }
        }
        return true;
    }
}
