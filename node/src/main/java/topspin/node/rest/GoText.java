package topspin.node.rest;

/** Numbers, truth values and quotes as the reference node reads and prints them. */
final class GoText {
    private GoText() {}

    /**
     * An unsigned 64-bit number in decimal digits.
     *
     * @throws RequestFault 400 with the reference's words, naming the parameter
     */
    static long parseUint(String name, String text) {
        long value = 0;
        boolean digits = !text.isEmpty();
        boolean fits = true;
        for (int i = 0; i < text.length(); i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                digits = false;
                break;
            }
            // value * 10 + digit <= 2^64 - 1, without overflowing on the way.
            long rest = Long.divideUnsigned(-1L - digit, 10);
            fits &= Long.compareUnsigned(value, rest) <= 0;
            value = value * 10 + digit;
        }
        if (!digits) {
            throw invalidFormat(name, "strconv.ParseUint", text, "invalid syntax");
        }
        if (!fits) {
            throw invalidFormat(name, "strconv.ParseUint", text, "value out of range");
        }
        return value;
    }

    /** A signed number; the one parameter that takes one is the timeout of shutdown. */
    static long parseInt(String name, String text) {
        String digits = text.startsWith("-") || text.startsWith("+") ? text.substring(1) : text;
        if (digits.isEmpty() || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw invalidFormat(name, "strconv.ParseInt", text, "invalid syntax");
        }
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException tooLong) {
            throw invalidFormat(name, "strconv.ParseInt", text, "value out of range");
        }
    }

    static boolean parseBool(String name, String text) {
        return switch (text) {
            case "1", "t", "T", "TRUE", "true", "True" -> true;
            case "0", "f", "F", "FALSE", "false", "False" -> false;
            default -> throw invalidFormat(name, "strconv.ParseBool", text, "invalid syntax");
        };
    }

    private static RequestFault invalidFormat(
            String name, String function, String text, String reason) {
        return RequestFault.parameter(
                name,
                "error binding string parameter: "
                        + function
                        + ": parsing "
                        + quote(text)
                        + ": "
                        + reason);
    }

    /** A string in double quotes, with what is not printable escaped. */
    static String quote(String text) {
        StringBuilder out = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            i += Character.charCount(c);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case 0x07 -> out.append("\\a");
                case '\b' -> out.append("\\b");
                case '\f' -> out.append("\\f");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                case 0x0b -> out.append("\\v");
                default -> {
                    if (c < 0x20 || c == 0x7f) {
                        out.append(String.format("\\x%02x", c));
                    } else if (isPrintable(c)) {
                        out.appendCodePoint(c);
                    } else {
                        out.append(String.format(c < 0x10000 ? "\\u%04x" : "\\U%08x", c));
                    }
                }
            }
        }
        return out.append('"').toString();
    }

    /** What the reference prints as it is: letters, marks, numbers, signs, and the plain blank. */
    static boolean isPrintable(int c) {
        return c == ' '
                || switch (Character.getType(c)) {
                    case Character.CONTROL,
                            Character.FORMAT,
                            Character.SURROGATE,
                            Character.PRIVATE_USE,
                            Character.UNASSIGNED,
                            Character.LINE_SEPARATOR,
                            Character.PARAGRAPH_SEPARATOR,
                            Character.SPACE_SEPARATOR ->
                            false;
                    default -> true;
                };
    }
}
