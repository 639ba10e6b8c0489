package topspin.codec.txn;

import com.fasterxml.jackson.core.JsonGenerator;

import topspin.codec.Bytes;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;
import topspin.codec.msgpack.Shape;
import topspin.codec.msgpack.ShapeJson;

import java.io.IOException;

/**
 * Transactions as JSON: wire names, addresses as text, bytes as base64, zero fields left out
 * (rest.md section 1).
 */
public final class TransactionJson {
    private TransactionJson() {}

    /** Writes a signed transaction: an object with {@code txn} and what authorizes it. */
    public static void write(SignedTransaction signed, JsonGenerator json) throws IOException {
        write(
                TransactionShapes.SIGNED,
                Bytes.of(signed.bytes(), signed.offset(), signed.length()),
                json);
    }

    /** Writes a transaction alone. */
    public static void write(Transaction txn, JsonGenerator json) throws IOException {
        write(TransactionShapes.TRANSACTION, Bytes.of(TransactionEncoder.encode(txn)), json);
    }

    /** Writes a transaction as it stands in its block, with what it did. */
    public static void write(BlockTransaction transaction, JsonGenerator json) throws IOException {
        write(TransactionShapes.IN_BLOCK, transaction.encoding(), json);
    }

    /** Writes the parameters of an asset. */
    public static void write(AssetParams params, JsonGenerator json) throws IOException {
        CanonicalWriter out = new CanonicalWriter();
        TransactionEncoder.encode(params, out);
        write(TransactionShapes.ASSET_PARAMS, Bytes.of(out.toByteArray()), json);
    }

    private static void write(Shape shape, Bytes canonical, JsonGenerator json) throws IOException {
        // What REST took may go beyond bounds, and is shown nevertheless.
        var in =
                MsgpackReader.withoutBounds()
                        .reset(canonical.array(), canonical.offset(), canonical.length());
        try {
            ShapeJson.write(shape, in, json);
        } catch (MalformedMessage e) {
            throw new IllegalArgumentException("not canonical", e);
        }
    }
}
