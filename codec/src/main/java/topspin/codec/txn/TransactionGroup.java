package topspin.codec.txn;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/**
 * One to sixteen transactions that arrived together and stand or fall together: signed bytes in a
 * row in one array, which they share and nobody changes.
 */
public final class TransactionGroup implements Iterable<SignedTransaction> {
    private final byte[] bytes;
    private final int offset;
    private final int signedLength;
    private final SignedTransaction[] members;

    TransactionGroup(byte[] bytes, int offset, int signedLength, SignedTransaction[] members) {
        if (members.length == 0 || members.length > Limits.GROUP_SIZE) {
            throw new IllegalArgumentException("a group of " + members.length);
        }
        this.bytes = bytes;
        this.offset = offset;
        this.signedLength = signedLength;
        this.members = members;
    }

    /**
     * The group of {@code members}, copied into one array. Their {@code grp} fields are not
     * touched.
     */
    public static TransactionGroup of(List<SignedTransaction> members) {
        if (members.size() == 1) {
            SignedTransaction only = members.getFirst();
            return new TransactionGroup(
                    only.bytes(), only.offset(), only.length(), new SignedTransaction[] {only});
        }
        int length = members.stream().mapToInt(SignedTransaction::length).sum();
        byte[] joined = new byte[length + 1];
        joined[length] = SignedTransaction.NO_FIELDS;
        SignedTransaction[] moved = new SignedTransaction[members.size()];
        int position = 0;
        for (int index = 0; index < moved.length; index++) {
            SignedTransaction member = members.get(index);
            System.arraycopy(member.bytes(), member.offset(), joined, position, member.length());
            moved[index] = member.movedTo(joined, position);
            position += member.length();
        }
        return new TransactionGroup(joined, 0, length, moved);
    }

    public static TransactionGroup of(SignedTransaction only) {
        return of(List.of(only));
    }

    /** The array that holds the canonical signed bytes of all members in a row. */
    public byte[] bytes() {
        return bytes;
    }

    /** Where the first member begins. */
    public int offset() {
        return offset;
    }

    /** How many bytes all members take together. */
    public int signedLength() {
        return signedLength;
    }

    public int size() {
        return members.length;
    }

    public SignedTransaction get(int index) {
        return members[index];
    }

    public SignedTransaction first() {
        return members[0];
    }

    @Override
    public Iterator<SignedTransaction> iterator() {
        return Arrays.asList(members).iterator();
    }
}
