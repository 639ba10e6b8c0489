package topspin.codec.crypto;

import static java.lang.invoke.MethodHandles.byteArrayViewVarHandle;
import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.charset.StandardCharsets.US_ASCII;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;

import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * Addresses of accounts that are no single Ed25519 key: each is the hash of what may spend from it
 * (transactions.md section 6, validation.md 6).
 */
public final class HashedAddress {
    private static final VarHandle LONG = byteArrayViewVarHandle(long[].class, BIG_ENDIAN);

    private HashedAddress() {}

    /**
     * Of several keys, some of which must sign. That the version is 1 and the threshold can be met
     * is for the caller to check.
     *
     * @param version 0 to 255
     * @param threshold 0 to 255
     */
    public static Address ofMultisig(int version, int threshold, List<Digest> publicKeys) {
        byte[] preimage = new byte[2 + publicKeys.size() * Digest.BYTES];
        preimage[0] = (byte) version;
        preimage[1] = (byte) threshold;
        int position = 2;
        for (Digest publicKey : publicKeys) {
            publicKey.writeTo(preimage, position);
            position += Digest.BYTES;
        }
        return hash(Domain.MULTISIG_ADDR, preimage);
    }

    /** Of a program that approves transactions. */
    public static Address ofProgram(Bytes program) {
        return hash(Domain.PROGRAM, program.toArray());
    }

    /** Of an application's own account. */
    public static Address ofApplication(long application) {
        byte[] preimage = new byte[Long.BYTES];
        LONG.set(preimage, 0, application);
        return hash(Domain.APP_ID, preimage);
    }

    /**
     * Of a post-quantum key.
     *
     * @param scheme two characters
     * @param salt 0 to 255
     */
    public static Address ofPostQuantumKey(Bytes scheme, int salt, Bytes publicKey) {
        byte[] preimage = new byte[scheme.length() + 1 + publicKey.length()];
        System.arraycopy(scheme.array(), scheme.offset(), preimage, 0, scheme.length());
        preimage[scheme.length()] = (byte) salt;
        System.arraycopy(
                publicKey.array(),
                publicKey.offset(),
                preimage,
                scheme.length() + 1,
                publicKey.length());
        return hash(Domain.PQA, preimage);
    }

    /** Of an account that the protocol names, in ASCII. */
    public static Address ofName(String name) {
        return hash(Domain.SPECIAL_ADDR, name.getBytes(US_ASCII));
    }

    private static Address hash(Domain domain, byte[] preimage) {
        return Address.fromBytes(Sha512_256.digest(domain, preimage));
    }
}
