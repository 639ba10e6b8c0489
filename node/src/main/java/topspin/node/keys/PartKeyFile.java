package topspin.node.keys;

import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePackException;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.value.ImmutableValue;
import org.msgpack.value.Value;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.crypto.OneTimeSecrets;
import topspin.codec.msgpack.CanonicalWriter;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * The file format of participation keys: an SQLite database with one row (agreement.md section
 * 2.5). Databases live in memory only; no file is touched. Any thread.
 */
final class PartKeyFile {
    private static final byte[] MAGIC = "SQLite format 3\0".getBytes(StandardCharsets.US_ASCII);

    /** Where the head of a database has its page size, and how many pages there are. */
    private static final int PAGE_BYTES = 16;

    private static final int PAGES = 28;

    /** Where a database says how its journal is kept: 1 for a rollback journal, 2 for a log. */
    private static final int JOURNAL_WRITE = 18;

    private static final int JOURNAL_READ = 19;

    private static final String TABLE = "parttable";
    private static final int VERSION = 3;

    /** Rounds that one state-proof key serves, and the hash of the tree over all: SumHash512. */
    private static final int STATE_PROOF_INTERVAL = 256;

    private static final int SUM_HASH = 1;

    private PartKeyFile() {}

    /**
     * Reads a file.
     *
     * @throws KeyFault when it is none, or not one of keys
     */
    static ParticipationKeys read(byte[] file) throws KeyFault {
        if (!startsWithMagic(file)) {
            throw new KeyFault("file is not a database");
        }
        if (isCutOff(file)) {
            throw new KeyFault("database disk image is malformed");
        }
        // A log beside the database, which the reference leaves its files with, is none of ours.
        byte[] database = file.clone();
        database[JOURNAL_WRITE] = 1;
        database[JOURNAL_READ] = 1;
        try (SQLiteConnection connection = inMemory()) {
            connection.deserialize("main", database);
            try (Statement statement = connection.createStatement()) {
                requireVersion(statement);
                return keys(statement);
            }
        } catch (SQLiteException e) {
            throw new KeyFault(
                    switch (e.getResultCode()) {
                        case SQLITE_NOTADB -> "file is not a database";
                        case SQLITE_CORRUPT -> "database disk image is malformed";
                        case SQLITE_ERROR -> unsupported();
                        default -> SQLiteErrorCode.getErrorCode(e.getErrorCode()).message;
                    });
        } catch (SQLException e) {
            throw new KeyFault("database disk image is malformed");
        }
    }

    private static boolean startsWithMagic(byte[] file) {
        return file.length > 100
                && java.util.Arrays.equals(file, 0, MAGIC.length, MAGIC, 0, MAGIC.length);
    }

    /** Whether pages are missing that the head counts; those read may all be there. */
    private static boolean isCutOff(byte[] file) {
        ByteBuffer head = ByteBuffer.wrap(file);
        int pageBytes = head.getShort(PAGE_BYTES) & 0xffff;
        long pages = head.getInt(PAGES) & 0xffff_ffffL;
        return file.length < pages * (pageBytes == 1 ? 65_536 : pageBytes);
    }

    private static String unsupported() {
        return "unsupported participation file schema version (expected " + VERSION + ")";
    }

    /** A connection that trusts nothing that a database says about itself. */
    private static SQLiteConnection inMemory() throws SQLException {
        Connection connection = new SQLiteConfig().createConnection("jdbc:sqlite::memory:");
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA trusted_schema = OFF");
        }
        return connection.unwrap(SQLiteConnection.class);
    }

    private static void requireVersion(Statement statement) throws SQLException, KeyFault {
        try (ResultSet rows =
                statement.executeQuery(
                        "SELECT version FROM schema WHERE tablename = '" + TABLE + "'")) {
            if (!rows.next() || rows.getInt(1) != VERSION) {
                throw new KeyFault(unsupported());
            }
        }
    }

    private static ParticipationKeys keys(Statement statement) throws SQLException, KeyFault {
        try (ResultSet row =
                statement.executeQuery(
                        "SELECT parent, vrf, voting, firstValid, lastValid, keyDilution, stateProof"
                                + " FROM ParticipationAccount LIMIT 1")) {
            if (!row.next()) {
                throw new KeyFault("the file holds no keys");
            }
            byte[] parent = bytes(row, 1);
            byte[] voting = bytes(row, 3);
            byte[] stateProof = row.getBytes(7);
            if (parent.length != Address.BYTES) {
                throw new KeyFault("the account of the keys is not an address");
            }
            long first = row.getLong(4);
            long last = row.getLong(5);
            if (first < 0 || last < first) {
                throw new KeyFault("the rounds of the keys are not a range");
            }
            long dilution = row.getLong(6);
            if (dilution < 1 || dilution > OneTimeSecrets.DILUTION_MAX) {
                throw new KeyFault(
                        "the dilution of the keys is 1 to "
                                + OneTimeSecrets.DILUTION_MAX
                                + " rounds, not "
                                + dilution);
            }
            return ParticipationKeys.of(
                    Address.fromBytes(parent),
                    first,
                    last,
                    dilution,
                    Bytes.of(
                            fixed(
                                    field(unpack(bytes(row, 2)), "SK"),
                                    ParticipationKeys.VRF_SECRET_BYTES)),
                    Digest.fromBytes(
                            fixed(field(unpack(voting), "OneTimeSignatureVerifier"), Digest.BYTES)),
                    Bytes.of(voting),
                    stateProof == null ? Bytes.EMPTY : root(unpack(stateProof)));
        }
    }

    private static byte[] bytes(ResultSet row, int column) throws SQLException, KeyFault {
        byte[] value = row.getBytes(column);
        if (value == null) {
            throw new KeyFault("the file holds no whole keys");
        }
        return value;
    }

    // What the columns hold.

    private static ImmutableValue unpack(byte[] message) throws KeyFault {
        try (MessageUnpacker in = MessagePack.newDefaultUnpacker(message)) {
            return in.unpackValue();
        } catch (IOException | MessagePackException e) {
            throw new KeyFault("the keys cannot be read: " + e.getMessage());
        }
    }

    private static @Nullable Value field(@Nullable Value map, String name) {
        if (map == null || !map.isMapValue()) {
            return null;
        }
        for (var entry : map.asMapValue().entrySet()) {
            if (entry.getKey().isStringValue()
                    && entry.getKey().asStringValue().asString().equals(name)) {
                return entry.getValue();
            }
        }
        return null;
    }

    private static byte[] fixed(@Nullable Value value, int length) throws KeyFault {
        if (value == null || !value.isBinaryValue()) {
            throw new KeyFault("the file holds no whole keys");
        }
        byte[] bytes = value.asBinaryValue().asByteArray();
        if (bytes.length != length) {
            throw new KeyFault("a key has " + bytes.length + " bytes, not " + length);
        }
        return bytes;
    }

    /** The root of the tree over state-proof keys, by which the account registers them. */
    private static Bytes root(Value stateProof) {
        Value levels = field(field(stateProof, "tree"), "lvls");
        if (levels == null || !levels.isArrayValue() || levels.asArrayValue().size() == 0) {
            return Bytes.EMPTY;
        }
        List<Value> all = levels.asArrayValue().list();
        Value top = all.getLast();
        if (!top.isArrayValue() || top.asArrayValue().size() != 1) {
            return Bytes.EMPTY;
        }
        Value root = top.asArrayValue().get(0);
        return root.isBinaryValue() ? Bytes.of(root.asBinaryValue().asByteArray()) : Bytes.EMPTY;
    }

    // Writing.

    /** Writes keys as a file that the reference reads, too; it has no state-proof secrets. */
    static byte[] write(ParticipationKeys keys) {
        try (SQLiteConnection connection = inMemory();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE ParticipationAccount (parent BLOB, vrf BLOB, voting BLOB,"
                            + " firstValid INTEGER, lastValid INTEGER,"
                            + " keyDilution INTEGER NOT NULL DEFAULT 0, stateProof BLOB)");
            statement.execute("CREATE TABLE schema (tablename TEXT PRIMARY KEY, version INTEGER)");
            statement.execute(
                    "CREATE TABLE StateProofKeys (id INTEGER PRIMARY KEY, round INTEGER, key"
                            + " BLOB)");
            statement.execute("CREATE UNIQUE INDEX roundIdx ON StateProofKeys (round)");
            statement.execute(
                    "INSERT INTO schema VALUES ('"
                            + TABLE
                            + "', "
                            + VERSION
                            + "), ('merklesignaturescheme', 1)");
            try (PreparedStatement insert =
                    connection.prepareStatement(
                            "INSERT INTO ParticipationAccount VALUES (?, ?, ?, ?, ?, ?, ?)")) {
                insert.setBytes(1, keys.account().toBytes());
                insert.setBytes(2, vrf(keys));
                insert.setBytes(3, keys.voting().toArray());
                insert.setLong(4, keys.firstValid());
                insert.setLong(5, keys.lastValid());
                insert.setLong(6, keys.dilution());
                insert.setBytes(7, stateProof(keys.stateProofKey()));
                insert.executeUpdate();
            }
            return connection.serialize("main");
        } catch (SQLException e) {
            throw new IllegalStateException("a database in memory failed", e);
        }
    }

    private static byte[] vrf(ParticipationKeys keys) {
        CanonicalWriter out = new CanonicalWriter();
        out.writeMapHeader(2);
        out.writeText("PK");
        out.writeDigest(keys.selectionKey());
        out.writeText("SK");
        out.writeBytes(keys.vrfSecret());
        return out.toByteArray();
    }

    /** A tree of nothing but its root. */
    private static byte[] stateProof(Bytes root) {
        CanonicalWriter out = new CanonicalWriter();
        out.writeMapHeader(2);
        out.writeText("iv");
        out.writeUint(STATE_PROOF_INTERVAL);
        out.writeText("tree");
        out.writeMapHeader(3);
        out.writeText("hsh");
        out.writeMapHeader(1);
        out.writeText("t");
        out.writeUint(SUM_HASH);
        out.writeText("lvls");
        out.writeArrayHeader(1);
        out.writeArrayHeader(1);
        out.writeBytes(root);
        out.writeText("vc");
        out.writeBool(true);
        return out.toByteArray();
    }
}
