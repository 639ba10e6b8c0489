package topspin.codec.params;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The protocol versions this node knows, by name. Immutable.
 *
 * <p>v41 and v42 are built in; a private network adds its own in go-algorand's {@code
 * consensus.json} form: a map from version name to a whole set of parameters. A set replaces the
 * built-in one of its name; a key left out is zero there, not the built-in value; {@code
 * ApprovedUpgrades} null or absent removes the version (agreement.md section 11.1).
 */
public final class ConsensusVersions {
    public static final String V41 =
            "https://github.com/algorandfoundation/specs/tree/953304de35264fc3ef91bcd05c123242015eeaed";
    public static final String V42 =
            "https://github.com/algorandfoundation/specs/tree/268b63433a907455d439995bf916f6b296018f4f";

    /** Longest name of a version, in bytes of UTF-8; it travels in every header. */
    public static final int NAME_BYTES_MAX = 128;

    /** The version a new network is made with. */
    public static final String CURRENT = V42;

    /**
     * Rules that are taken for granted: every version since v41 has these values, and no code reads
     * another. A private version that differs is refused by name rather than half obeyed.
     */
    private static final Set<String> FIXED =
            Set.of(
                    "SupportGenesisHash",
                    "RequireGenesisHash",
                    "PaysetCommit",
                    "SupportSignedTxnInBlock",
                    "ForceNonParticipatingFeeSink",
                    "ApplyData",
                    "RewardsInApplyData",
                    "CredentialDomainSeparationEnabled",
                    "SupportBecomeNonParticipatingTransactions",
                    "PendingResidueRewards",
                    "Asset",
                    "TxnCounter",
                    "SupportTxGroups",
                    "SupportTransactionLeases",
                    "FixTransactionLeases",
                    "SupportRekeying",
                    "InitialRewardsRateCalculation",
                    "EnableKeyregCoherencyCheck",
                    "RewardsCalculationFix",
                    "EnableStateProofKeyregCheck",
                    "EnableSHA256TxnCommitmentHeader",
                    "UnfundedSenders",
                    "EnableAssetCloseAmount",
                    "ExcludeExpiredCirculation",
                    "StateProofExcludeTotalWeightWithRewards",
                    "AppForbidLowResources",
                    "EnableSha512BlockHash");

    private static final ConsensusVersions BUILT_IN = readBuiltIn();

    private final Map<String, ConsensusParams> byName;

    private ConsensusVersions(Map<String, ConsensusParams> byName) {
        this.byName = Collections.unmodifiableMap(byName);
    }

    /** v41 and v42 with the values of validation.md section 1. */
    public static ConsensusVersions builtIn() {
        return BUILT_IN;
    }

    /** The parameters of a version, or null when this node does not know it. */
    public @Nullable ConsensusParams get(String version) {
        return byName.get(version);
    }

    /** The names, in order. */
    public Set<String> names() {
        return byName.keySet();
    }

    /**
     * These versions with those of a {@code consensus.json} text put over them.
     *
     * @throws IllegalArgumentException naming version and key: not JSON, an unknown or repeated
     *     key, a value of another kind or out of range, a rule fixed in this node, a name longer
     *     than {@link #NAME_BYTES_MAX}
     */
    public ConsensusVersions with(String consensusJson) {
        Map<String, @Nullable ConsensusParams> read = read(consensusJson);
        var merged = new TreeMap<>(byName);
        read.forEach(
                (name, params) -> {
                    if (params == null) {
                        merged.remove(name);
                    } else {
                        requireFixed(name, params);
                        merged.put(name, params);
                    }
                });
        return new ConsensusVersions(merged);
    }

    /**
     * The named versions in {@code consensus.json} form: every key written, two spaces of indent, a
     * line end last.
     */
    public String write(Iterable<String> names) {
        var text = new StringWriter();
        try (JsonGenerator out = new JsonFactory().createGenerator(text)) {
            var separators =
                    Separators.createDefaultInstance()
                            .withObjectFieldValueSpacing(Separators.Spacing.AFTER);
            out.setPrettyPrinter(
                    new DefaultPrettyPrinter(separators.withObjectEmptySeparator(""))
                            .withObjectIndenter(new DefaultIndenter("  ", "\n")));
            out.writeStartObject();
            for (String name : names) {
                ConsensusParams params = byName.get(name);
                if (params == null) {
                    throw new IllegalArgumentException("no such protocol version: " + name);
                }
                out.writeFieldName(name);
                writeRecord(params, out);
            }
            out.writeEndObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible); // A StringWriter does not fail.
        }
        return text.append('\n').toString();
    }

    private static ConsensusVersions readBuiltIn() {
        try (InputStream resource = ConsensusVersions.class.getResourceAsStream("consensus.json")) {
            if (resource == null) {
                throw new IllegalStateException(
                        "consensus.json is missing beside " + ConsensusVersions.class);
            }
            var known = new TreeMap<String, ConsensusParams>();
            read(new String(resource.readAllBytes(), StandardCharsets.UTF_8))
                    .forEach(
                            (name, params) -> {
                                if (params != null) {
                                    known.put(name, params);
                                }
                            });
            return new ConsensusVersions(known);
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private static void requireFixed(String name, ConsensusParams params) {
        ConsensusParams reference = requireNonNull(BUILT_IN.byName.get(V42));
        for (RecordComponent component : ConsensusParams.class.getRecordComponents()) {
            String key = key(component);
            if (FIXED.contains(key)
                    && !value(component, params).equals(value(component, reference))) {
                throw new IllegalArgumentException(
                        name
                                + ": "
                                + key
                                + " must be "
                                + value(component, reference)
                                + "; this node knows no other (a key left out counts as zero: write all)");
            }
        }
    }

    // Reading. Null stands for a version that its file removes.

    private static Map<String, @Nullable ConsensusParams> read(String json) {
        var read = new LinkedHashMap<String, @Nullable ConsensusParams>();
        try (JsonParser in =
                JsonFactory.builder()
                        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                        .build()
                        .createParser(json)) {
            if (in.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException(
                        "consensus parameters are a JSON object of versions");
            }
            while (in.nextToken() == JsonToken.FIELD_NAME) {
                String name = in.currentName();
                if (name.getBytes(StandardCharsets.UTF_8).length > NAME_BYTES_MAX) {
                    throw new IllegalArgumentException(
                            "protocol version name longer than "
                                    + NAME_BYTES_MAX
                                    + " bytes: "
                                    + name);
                }
                in.nextToken();
                var removed = new boolean[] {true};
                Object params = readRecord(name, ConsensusParams.class, in, removed);
                read.put(name, removed[0] ? null : (ConsensusParams) params);
            }
            if (in.nextToken() != null) {
                throw new IllegalArgumentException("more after the consensus parameters");
            }
        } catch (JsonProcessingException malformed) {
            throw new IllegalArgumentException(
                    "consensus parameters: " + malformed.getMessage(), malformed);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible); // A String does not fail.
        }
        return read;
    }

    /** {@code removed} is cleared when an ApprovedUpgrades object is met. */
    private static Object readRecord(String path, Class<?> type, JsonParser in, boolean[] removed)
            throws IOException {
        if (in.currentToken() != JsonToken.START_OBJECT) {
            throw new IllegalArgumentException(path + " must be an object");
        }
        RecordComponent[] components = type.getRecordComponents();
        var values = new Object[components.length];
        for (int i = 0; i < components.length; i++) {
            values[i] = zero(components[i].getType());
        }
        while (in.nextToken() == JsonToken.FIELD_NAME) {
            String key = in.currentName();
            int index = indexOf(components, key);
            String where = path + ": " + key;
            if (index < 0) {
                throw new IllegalArgumentException(where + " is no parameter this node knows");
            }
            in.nextToken();
            values[index] = readValue(where, components[index].getType(), in, removed);
        }
        return construct(type, components, values);
    }

    private static Object readValue(String where, Class<?> type, JsonParser in, boolean[] removed)
            throws IOException {
        JsonToken token = in.currentToken();
        if (type == boolean.class) {
            if (token != JsonToken.VALUE_TRUE && token != JsonToken.VALUE_FALSE) {
                throw new IllegalArgumentException(where + " must be true or false");
            }
            return token == JsonToken.VALUE_TRUE;
        }
        if (type == int.class) {
            return (int) readNumber(where, Integer.MAX_VALUE, in);
        }
        if (type == long.class) {
            return readNumber(where, Long.MAX_VALUE, in);
        }
        if (type == Map.class) {
            if (token == JsonToken.VALUE_NULL) {
                return Map.of();
            }
            if (token != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException(where + " must be an object");
            }
            removed[0] = false;
            var upgrades = new TreeMap<String, Long>();
            while (in.nextToken() == JsonToken.FIELD_NAME) {
                String version = in.currentName();
                in.nextToken();
                upgrades.put(version, readNumber(where, Long.MAX_VALUE, in));
            }
            return upgrades;
        }
        return readRecord(where, type, in, removed);
    }

    private static long readNumber(String where, long max, JsonParser in) throws IOException {
        if (in.currentToken() != JsonToken.VALUE_NUMBER_INT
                || in.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                || in.getLongValue() < 0
                || in.getLongValue() > max) {
            throw new IllegalArgumentException(
                    where + " must be a whole number from 0 to " + max + ": " + in.getText());
        }
        return in.getLongValue();
    }

    private static int indexOf(RecordComponent[] components, String key) {
        for (int i = 0; i < components.length; i++) {
            if (key(components[i]).equals(key)) {
                return i;
            }
        }
        return -1;
    }

    // Writing.

    private static void writeRecord(Object facts, JsonGenerator out) throws IOException {
        out.writeStartObject();
        for (RecordComponent component : facts.getClass().getRecordComponents()) {
            out.writeFieldName(key(component));
            switch (value(component, facts)) {
                case Boolean flag -> out.writeBoolean(flag);
                case Integer number -> out.writeNumber(number);
                case Long number -> out.writeNumber(number);
                case Map<?, ?> upgrades -> {
                    out.writeStartObject();
                    for (Map.Entry<?, ?> upgrade : upgrades.entrySet()) {
                        out.writeNumberField(
                                (String) upgrade.getKey(), (long) (Long) upgrade.getValue());
                    }
                    out.writeEndObject();
                }
                case Object nested -> writeRecord(nested, out);
            }
        }
        out.writeEndObject();
    }

    // The record's declaration is the table of keys: it is read here and nowhere else.

    private static String key(RecordComponent component) {
        String name = component.getName();
        return Character.toUpperCase(name.charAt(0)) + name.substring(1);
    }

    private static Object value(RecordComponent component, Object facts) {
        try {
            return component.getAccessor().invoke(facts);
        } catch (ReflectiveOperationException impossible) {
            throw new LinkageError(component.toString(), impossible);
        }
    }

    private static Object zero(Class<?> type) {
        if (type == boolean.class) {
            return false;
        }
        if (type == int.class) {
            return 0;
        }
        if (type == long.class) {
            return 0L;
        }
        if (type == Map.class) {
            return Map.of();
        }
        RecordComponent[] components = type.getRecordComponents();
        var values = new ArrayList<Object>(components.length);
        for (RecordComponent component : components) {
            values.add(zero(component.getType()));
        }
        return construct(type, components, values.toArray());
    }

    private static Object construct(Class<?> type, RecordComponent[] components, Object[] values) {
        try {
            Class<?>[] types =
                    List.of(components).stream()
                            .map(RecordComponent::getType)
                            .toArray(Class<?>[]::new);
            return type.getDeclaredConstructor(types).newInstance(values);
        } catch (ReflectiveOperationException impossible) {
            throw new LinkageError(type.toString(), impossible);
        }
    }
}
