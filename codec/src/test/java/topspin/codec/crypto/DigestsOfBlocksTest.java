package topspin.codec.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import topspin.codec.Samples;
import topspin.codec.block.TransactionRoot;
import topspin.codec.crypto.SignatureEngine.Mode;
import topspin.codec.txn.ApplyData;
import topspin.codec.txn.BlockTransaction;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionType;
import topspin.codec.txn.TxIdHasher;

import java.util.ArrayList;
import java.util.List;

/** Whatever is hashed for a block is the same in lanes, for every number of transactions. */
class DigestsOfBlocksTest {
    @AfterEach
    void backToOneAfterAnother() {
        DigestBatch.use(Mode.SCALAR);
    }

    private static List<BlockTransaction> payset(int count) {
        var samples = new Samples(count);
        TransactionType[] types = {
            TransactionType.PAYMENT, TransactionType.ASSET_CONFIG, TransactionType.KEY_REGISTRATION
        };
        List<BlockTransaction> payset = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            SignedTransaction signed =
                    samples.signed(samples.transaction(types[i * i % 7 % types.length]));
            payset.add(BlockTransaction.of(signed, ApplyData.ZERO));
        }
        return payset;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 8, 13, 31, 63, 64, 65, 127, 128, 129, 200, 257})
    void rootsAndIdsAreThoseOfHashingOneAfterAnother(int count) {
        List<BlockTransaction> oneByOne = payset(count);
        TransactionRoot expected = TransactionRoot.of(oneByOne);
        List<BlockTransaction> together = payset(count);
        DigestBatch.use(Mode.LANES);
        new TxIdHasher().identify(together);
        assertThat(together)
                .extracting(transaction -> transaction.signed().id())
                .containsExactlyElementsOf(oneByOne.stream().map(t -> t.signed().id()).toList());
        assertThat(TransactionRoot.of(together)).isEqualTo(expected);
    }
}
