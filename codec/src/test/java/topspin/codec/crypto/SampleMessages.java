package topspin.codec.crypto;

import java.util.SplittableRandom;

/** Messages to hash, the same in every run. */
public final class SampleMessages {
    private SampleMessages() {}

    /** So many distinct messages of one length, as transactions. */
    public static Messages messages(int count, int bytes) {
        var messages = new Messages(count);
        var random = new SplittableRandom(512);
        for (int i = 0; i < count; i++) {
            var message = new byte[bytes];
            random.nextBytes(message);
            messages.add(Domain.TX, message, 0, bytes);
        }
        return messages;
    }
}
