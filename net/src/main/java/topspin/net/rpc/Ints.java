package topspin.net.rpc;

import java.util.Arrays;

/** Numbers in a row, in an array that grows and is used again. */
final class Ints {
    private int[] values = new int[16];
    private int size;

    void clear() {
        size = 0;
    }

    int size() {
        return size;
    }

    int get(int index) {
        return values[index];
    }

    void set(int index, int value) {
        values[index] = value;
    }

    void add(int value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, 2 * size);
        }
        values[size++] = value;
    }

    void add(int first, int second) {
        add(first);
        add(second);
    }
}
