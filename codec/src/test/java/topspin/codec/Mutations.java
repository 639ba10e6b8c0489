package topspin.codec;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Ways to spoil a valid message, each with a draw of its own: bits, bytes, lengths, and, where the
 * message is msgpack, keys that change places or stand there twice, and numbers in longer forms.
 */
public final class Mutations {
    private final Random random;

    public Mutations(Random random) {
        this.random = random;
    }

    /** The message, spoilt once. */
    public byte[] mutate(byte[] message) {
        return switch (random.nextInt(8)) {
            case 0 -> Arrays.copyOf(message, random.nextInt(message.length));
            case 1 -> flipped(message);
            case 2 -> replaced(message);
            case 3 -> with(message, random.nextInt(message.length + 1), randomByte());
            case 4 -> without(message, random.nextInt(message.length));
            case 5 -> trailed(message);
            case 6 -> rearranged(message);
            default -> widened(message);
        };
    }

    /**
     * Every field of every map doubled in place, and every one exchanged with the next: forms that
     * no canonical message has.
     */
    public static List<byte[]> everyRearrangement(byte[] message) {
        List<byte[]> all = new ArrayList<>();
        for (Node map : new Walk(message).maps()) {
            for (int index = 0; index < map.fields().size(); index++) {
                List<byte[]> doubled = map.contents(message);
                doubled.add(index, doubled.get(index));
                all.add(map.with(doubled, message));
                if (index > 0) {
                    List<byte[]> swapped = map.contents(message);
                    swapped.set(index - 1, swapped.set(index, swapped.get(index - 1)));
                    all.add(map.with(swapped, message));
                }
            }
        }
        return all;
    }

    /** Every number and length that has a longer form in that form, which is never canonical. */
    public static List<byte[]> everyWidening(byte[] message) {
        List<byte[]> all = new ArrayList<>();
        for (int at : new Walk(message).headers()) {
            byte[] wide = widened(message, at);
            if (wide.length > message.length) {
                all.add(wide);
            }
        }
        return all;
    }

    private byte[] flipped(byte[] message) {
        byte[] flipped = message.clone();
        flipped[random.nextInt(flipped.length)] ^= (byte) (1 << random.nextInt(8));
        return flipped;
    }

    private byte[] replaced(byte[] message) {
        byte[] replaced = message.clone();
        replaced[random.nextInt(replaced.length)] = randomByte();
        return replaced;
    }

    private byte[] trailed(byte[] message) {
        byte[] trailed = Arrays.copyOf(message, message.length + 1 + random.nextInt(3));
        for (int index = message.length; index < trailed.length; index++) {
            trailed[index] = randomByte();
        }
        return trailed;
    }

    /** A field of some map is doubled, dropped, or changes places with another. */
    private byte[] rearranged(byte[] message) {
        List<Node> candidates =
                new Walk(message).maps().stream().filter(map -> !map.fields().isEmpty()).toList();
        if (candidates.isEmpty()) {
            return flipped(message);
        }
        Node map = candidates.get(random.nextInt(candidates.size()));
        List<byte[]> fields = map.contents(message);
        int one = random.nextInt(fields.size());
        int other = random.nextInt(fields.size());
        switch (random.nextInt(3)) {
            case 0 -> fields.add(other, fields.get(one));
            case 1 -> fields.remove(one);
            default -> fields.set(one, fields.set(other, fields.get(one)));
        }
        return map.with(fields, message);
    }

    /** A number or length gets a form longer than it needs. */
    private byte[] widened(byte[] message) {
        List<Integer> headers = new Walk(message).headers();
        return widened(message, headers.get(random.nextInt(headers.size())));
    }

    private static byte[] widened(byte[] message, int at) {
        int form = message[at] & 0xff;
        byte[] wide =
                switch (form) {
                    case 0xcc -> new byte[] {(byte) 0xcd, 0};
                    case 0xcd -> new byte[] {(byte) 0xce, 0, 0};
                    case 0xce -> new byte[] {(byte) 0xcf, 0, 0, 0, 0};
                    case 0xc4, 0xd9 -> new byte[] {(byte) (form + 1), 0};
                    case 0xc5, 0xda, 0xdc, 0xde -> new byte[] {(byte) (form + 1), 0, 0};
                    default ->
                            form <= 0x7f
                                    ? new byte[] {(byte) 0xcc, (byte) form}
                                    : form <= 0x8f
                                            ? new byte[] {(byte) 0xde, 0, (byte) (form & 15)}
                                            : form <= 0x9f
                                                    ? new byte[] {
                                                        (byte) 0xdc, 0, (byte) (form & 15)
                                                    }
                                                    : form <= 0xbf
                                                            ? new byte[] {
                                                                (byte) 0xd9, (byte) (form & 31)
                                                            }
                                                            : new byte[] {(byte) form};
                };
        var out = new ByteArrayOutputStream();
        out.write(message, 0, at);
        out.writeBytes(wide);
        out.write(message, at + 1, message.length - at - 1);
        return out.toByteArray();
    }

    private static byte[] with(byte[] message, int at, byte added) {
        byte[] with = new byte[message.length + 1];
        System.arraycopy(message, 0, with, 0, at);
        with[at] = added;
        System.arraycopy(message, at, with, at + 1, message.length - at);
        return with;
    }

    private static byte[] without(byte[] message, int at) {
        byte[] without = new byte[message.length - 1];
        System.arraycopy(message, 0, without, 0, at);
        System.arraycopy(message, at + 1, without, at, without.length - at);
        return without;
    }

    private byte randomByte() {
        return (byte) random.nextInt();
    }

    private record Span(int from, int to) {}

    /** A map: where it starts, and where its keys with their values are. */
    private record Node(int start, List<Span> fields) {
        /** The bytes of each field. */
        List<byte[]> contents(byte[] message) {
            List<byte[]> contents = new ArrayList<>();
            for (Span field : fields) {
                contents.add(Arrays.copyOfRange(message, field.from(), field.to()));
            }
            return contents;
        }

        /** The message with these fields in the map's place; it has some. */
        byte[] with(List<byte[]> contents, byte[] message) {
            var out = new ByteArrayOutputStream();
            out.write(message, 0, start);
            if (contents.size() < 16) {
                out.write(0x80 | contents.size());
            } else {
                out.writeBytes(new byte[] {(byte) 0xde, 0, (byte) contents.size()});
            }
            contents.forEach(out::writeBytes);
            int end = fields.getLast().to();
            out.write(message, end, message.length - end);
            return out.toByteArray();
        }
    }

    /** Walks over well-formed msgpack as our own encoder writes it. */
    private static final class Walk {
        private final byte[] bytes;
        private int at;
        private final List<Node> maps = new ArrayList<>();
        private final List<Integer> headers = new ArrayList<>();

        Walk(byte[] bytes) {
            this.bytes = bytes;
        }

        List<Node> maps() {
            walk();
            return maps;
        }

        List<Integer> headers() {
            walk();
            return headers;
        }

        private void walk() {
            while (at < bytes.length) {
                value();
            }
        }

        private void value() {
            int start = at;
            headers.add(start);
            int form = bytes[at++] & 0xff;
            if ((form >= 0x80 && form <= 0x8f) || form == 0xde) {
                map(start, form == 0xde ? number(2) : form & 15);
            } else if ((form >= 0x90 && form <= 0x9f) || form == 0xdc) {
                for (int left = form == 0xdc ? number(2) : form & 15; left > 0; left--) {
                    value();
                }
            } else if (form >= 0xa0 && form <= 0xbf) {
                at += form & 31;
            } else {
                switch (form) {
                    case 0xcc, 0xd0 -> at += 1;
                    case 0xcd, 0xd1 -> at += 2;
                    case 0xce, 0xd2 -> at += 4;
                    case 0xcf, 0xd3 -> at += 8;
                    case 0xc4, 0xd9 -> skip(number(1));
                    case 0xc5, 0xda -> skip(number(2));
                    default -> {}
                }
            }
        }

        private void map(int start, int size) {
            List<Span> fields = new ArrayList<>();
            for (int field = 0; field < size; field++) {
                int from = at;
                value();
                value();
                fields.add(new Span(from, at));
            }
            maps.add(new Node(start, fields));
        }

        private void skip(int length) {
            at += length;
        }

        private int number(int size) {
            int number = 0;
            for (int index = 0; index < size; index++) {
                number = (number << 8) | (bytes[at++] & 0xff);
            }
            return number;
        }
    }
}
