package topspin.node.commands;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

import topspin.ledger.LedgerConfig;
import topspin.node.LocalNetwork;

/** Options that are whole numbers: whatever is none of their range is refused by naming it. */
final class WholeNumber {
    private static final int PORT_MAX = 65_535;

    private WholeNumber() {}

    /** A TCP port, or 0 for any. */
    static final class Port implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) within(text, 0, PORT_MAX);
        }
    }

    /** How many nodes a local network has, or which of them is meant. */
    static final class Nodes implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) within(text, 1, LocalNetwork.NODES_MAX);
        }
    }

    /** Blocks to keep; 0 for all. */
    static final class Rounds implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return "0".equals(text)
                    ? LedgerConfig.ALL_ROUNDS
                    : within(text, LedgerConfig.KEEP_ROUNDS_MIN, Long.MAX_VALUE);
        }
    }

    private static long within(String text, long min, long max) {
        try {
            long number = Long.parseLong(text);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException none) {
            // Refused below, like a number out of range.
        }
        throw new TypeConversionException(
                max == Long.MAX_VALUE
                        ? "'%s' is not a whole number of at least %d".formatted(text, min)
                        : "'%s' is not a whole number from %d to %d".formatted(text, min, max));
    }
}
