package topspin.net.multiaddr;

import java.util.ArrayList;
import java.util.List;

/**
 * Which addresses a node deals with, asked before it dials and when it accepts. A rule is an IP
 * prefix ({@code 10.0.0.0/8}, {@code fc00::/7}, an address alone) or a protocol ({@code unix},
 * {@code ip6}). An address is allowed if no rule denies it and, where there are rules that allow,
 * one of those does. An IPv4 address written as IPv6 is judged as what it is.
 *
 * <p>Asking leaves no garbage. Any thread may ask.
 */
public final class AddressFilter {
    /** Denies nothing. */
    public static final AddressFilter ALL = of(List.of(), List.of());

    /** Rules of either kind. */
    public static final int RULES_MAX = 4_096;

    private static final int IP4_BITS = 32;
    private static final int IP6_BITS = 128;

    private final Rules allowed;
    private final Rules denied;

    private AddressFilter(Rules allowed, Rules denied) {
        this.allowed = allowed;
        this.denied = denied;
    }

    /**
     * A filter of these rules.
     *
     * @throws IllegalArgumentException naming the rule that is none
     */
    public static AddressFilter of(List<String> allow, List<String> deny) {
        return new AddressFilter(Rules.parse(allow), Rules.parse(deny));
    }

    /** Whether an address may be dealt with: by its first IP address, and by every protocol. */
    public boolean allows(Multiaddr address) {
        return !denied.match(address) && (allowed.isEmpty() || allowed.match(address));
    }

    /** Prefixes side by side in arrays, the high and low half of each address apart. */
    private record Rules(long[] high, long[] low, int[] bits, int[] protocols) {
        /** Where IPv4 lies within IPv6. */
        private static final long MAPPED = 0xffff_0000_0000L;

        static Rules parse(List<String> texts) {
            if (texts.size() > RULES_MAX) {
                throw new IllegalArgumentException("more than " + RULES_MAX + " rules");
            }
            List<long[]> prefixes = new ArrayList<>();
            List<Integer> protocols = new ArrayList<>();
            for (String text : texts) {
                Protocol protocol = Protocol.named(text);
                if (protocol != null) {
                    protocols.add(protocol.code());
                } else {
                    prefixes.add(prefix(text));
                }
            }
            return new Rules(
                    prefixes.stream().mapToLong(prefix -> prefix[0]).toArray(),
                    prefixes.stream().mapToLong(prefix -> prefix[1]).toArray(),
                    prefixes.stream().mapToInt(prefix -> (int) prefix[2]).toArray(),
                    protocols.stream().mapToInt(Integer::intValue).toArray());
        }

        /** Both halves of a prefix, and its bits. */
        private static long[] prefix(String text) {
            int slash = text.indexOf('/');
            String host = slash < 0 ? text : text.substring(0, slash);
            boolean four = host.indexOf(':') < 0;
            byte[] address = ValueText.parse(four ? Protocol.IP4 : Protocol.IP6, host);
            int longest = four ? IP4_BITS : IP6_BITS;
            int bits = slash < 0 ? longest : number(text.substring(slash + 1), longest);
            if (address == null || bits < 0) {
                throw new IllegalArgumentException(
                        "'" + text + "' is neither like 10.0.0.0/8 nor a protocol");
            }
            long high = four ? 0 : half(address, 0);
            long low = four ? MAPPED | word(address) : half(address, Long.BYTES);
            int all = four ? bits + IP6_BITS - IP4_BITS : bits;
            if ((high & ~highMask(all)) != 0 || (low & ~lowMask(all)) != 0) {
                throw new IllegalArgumentException(
                        "'" + text + "' has bits behind its first " + bits);
            }
            return new long[] {high, low, all};
        }

        private static int number(String text, int max) {
            if (!text.matches("0|[1-9][0-9]{0,2}")) {
                return -1;
            }
            int number = Integer.parseInt(text);
            return number <= max ? number : -1;
        }

        private static long word(byte[] bytes) {
            return half(bytes, 0, Integer.BYTES);
        }

        private static long half(byte[] bytes, int offset) {
            return half(bytes, offset, Long.BYTES);
        }

        private static long half(byte[] bytes, int offset, int length) {
            long value = 0;
            for (int at = offset; at < offset + length; at++) {
                value = (value << Byte.SIZE) | (bytes[at] & 0xff);
            }
            return value;
        }

        private static long highMask(int bits) {
            return mask(Math.min(bits, Long.SIZE));
        }

        private static long lowMask(int bits) {
            return mask(Math.max(bits - Long.SIZE, 0));
        }

        private static long mask(int bits) {
            return bits == 0 ? 0 : -1L << (Long.SIZE - bits);
        }

        boolean isEmpty() {
            return bits.length == 0 && protocols.length == 0;
        }

        boolean match(Multiaddr address) {
            for (int protocol : protocols) {
                if (address.hasProtocol(protocol)) {
                    return true;
                }
            }
            if (bits.length == 0) {
                return false;
            }
            int four = address.valueOf(Protocol.IP4.code());
            int six = four >= 0 ? -1 : address.valueOf(Protocol.IP6.code());
            if (four < 0 && six < 0) {
                return false;
            }
            long hostHigh = four >= 0 ? 0 : address.bits(six, Long.BYTES);
            long hostLow =
                    four >= 0
                            ? MAPPED | address.bits(four, Integer.BYTES)
                            : address.bits(six + Long.BYTES, Long.BYTES);
            for (int rule = 0; rule < bits.length; rule++) {
                if (((hostHigh ^ high[rule]) & highMask(bits[rule])) == 0
                        && ((hostLow ^ low[rule]) & lowMask(bits[rule])) == 0) {
                    return true;
                }
            }
            return false;
        }
    }
}
