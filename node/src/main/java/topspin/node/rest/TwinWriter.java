package topspin.node.rest;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.block.BlockEncoder;
import topspin.codec.block.BlockHeader;
import topspin.codec.block.BlockJson;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.txn.AssetParams;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionEncoder;
import topspin.codec.txn.TransactionJson;

import java.util.Base64;

/**
 * Writes one value as JSON or as msgpack, so that an answer which comes in both is said once. Who
 * calls tells sizes ahead and keeps keys in order, as msgpack wants it; JSON has all bytes as
 * base64 and all keys as text. One thread.
 */
sealed interface TwinWriter {
    /** Begins a map of so many fields. */
    TwinWriter map(int fields);

    TwinWriter endMap();

    /** Begins a list of so many elements. */
    TwinWriter list(int elements);

    TwinWriter endList();

    /** The key of the value that follows: plain ASCII. */
    TwinWriter name(String name);

    /** A key of bytes. */
    TwinWriter name(byte[] name);

    /** A key that is an unsigned number. */
    TwinWriter name(long name);

    TwinWriter uint(long value);

    TwinWriter flag(boolean value);

    TwinWriter text(String value);

    TwinWriter bytes(byte[] value);

    TwinWriter address(Address value);

    TwinWriter nil();

    TwinWriter transaction(SignedTransaction value);

    TwinWriter header(BlockHeader value);

    TwinWriter assetParams(AssetParams value);

    /** Compact JSON. */
    record Json(JsonWriter out) implements TwinWriter {
        @Override
        public TwinWriter map(int fields) {
            out.beginObject();
            return this;
        }

        @Override
        public TwinWriter endMap() {
            out.endObject();
            return this;
        }

        @Override
        public TwinWriter list(int elements) {
            out.beginArray();
            return this;
        }

        @Override
        public TwinWriter endList() {
            out.endArray();
            return this;
        }

        @Override
        public TwinWriter name(String name) {
            out.name(name);
            return this;
        }

        @Override
        public TwinWriter name(byte[] name) {
            return name(Base64.getEncoder().encodeToString(name));
        }

        @Override
        public TwinWriter name(long name) {
            return name(Long.toUnsignedString(name));
        }

        @Override
        public TwinWriter uint(long value) {
            out.uint(value);
            return this;
        }

        @Override
        public TwinWriter flag(boolean value) {
            out.bool(value);
            return this;
        }

        @Override
        public TwinWriter text(String value) {
            out.string(value);
            return this;
        }

        @Override
        public TwinWriter bytes(byte[] value) {
            out.base64(value);
            return this;
        }

        @Override
        public TwinWriter address(Address value) {
            out.string(value.toString());
            return this;
        }

        @Override
        public TwinWriter nil() {
            out.nul();
            return this;
        }

        @Override
        public TwinWriter transaction(SignedTransaction value) {
            out.embed(generator -> TransactionJson.write(value, generator));
            return this;
        }

        @Override
        public TwinWriter header(BlockHeader value) {
            out.embed(generator -> BlockJson.write(value, generator));
            return this;
        }

        @Override
        public TwinWriter assetParams(AssetParams value) {
            out.embed(generator -> TransactionJson.write(value, generator));
            return this;
        }
    }

    /** Canonical msgpack. */
    record Msgpack(CanonicalWriter out) implements TwinWriter {
        @Override
        public TwinWriter map(int fields) {
            out.writeMapHeader(fields);
            return this;
        }

        @Override
        public TwinWriter endMap() {
            return this;
        }

        @Override
        public TwinWriter list(int elements) {
            out.writeArrayHeader(elements);
            return this;
        }

        @Override
        public TwinWriter endList() {
            return this;
        }

        @Override
        public TwinWriter name(String name) {
            return text(name);
        }

        @Override
        public TwinWriter name(byte[] name) {
            return bytes(name);
        }

        @Override
        public TwinWriter name(long name) {
            return uint(name);
        }

        @Override
        public TwinWriter uint(long value) {
            out.writeUint(value);
            return this;
        }

        @Override
        public TwinWriter flag(boolean value) {
            out.writeBool(value);
            return this;
        }

        @Override
        public TwinWriter text(String value) {
            out.writeText(value);
            return this;
        }

        @Override
        public TwinWriter bytes(byte[] value) {
            out.writeBytes(value, 0, value.length);
            return this;
        }

        @Override
        public TwinWriter address(Address value) {
            out.writeAddress(value);
            return this;
        }

        @Override
        public TwinWriter nil() {
            out.writeNil();
            return this;
        }

        @Override
        public TwinWriter transaction(SignedTransaction value) {
            out.raw(Bytes.of(value.bytes(), value.offset(), value.length()));
            return this;
        }

        @Override
        public TwinWriter header(BlockHeader value) {
            out.raw(BlockEncoder.encodeHeader(value));
            return this;
        }

        @Override
        public TwinWriter assetParams(AssetParams value) {
            TransactionEncoder.encode(value, out);
            return this;
        }
    }
}
