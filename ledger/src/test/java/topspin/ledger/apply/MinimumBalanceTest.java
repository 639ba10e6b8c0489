package topspin.ledger.apply;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import topspin.codec.params.ConsensusParams;
import topspin.codec.params.ConsensusVersions;
import topspin.ledger.account.Account;
import topspin.ledger.account.Resources;

import java.util.Objects;

/** validation.md sections 11.3 and 12.2. */
class MinimumBalanceTest {
    private static final ConsensusParams V42 =
            Objects.requireNonNull(ConsensusVersions.builtIn().get(ConsensusVersions.V42));

    @ParameterizedTest
    @CsvSource({
        "0, 0, 0, 0, 0, 0, 0, 0, 0, 100000",
        "3, 1, 0, 0, 0, 0, 0, 0, 0, 400000",
        "3, 1, 1, 1, 3, 1, 1, 0, 0, 835500",
        "0, 0, 0, 0, 0, 0, 0, 1, 108, 145700",
        "-1, 0, 0, 0, 0, 0, 0, 0, 0, -1"
    })
    void isWhatHoldingsAndCreationsAddUpTo(
            long assets,
            long createdAssets,
            long createdApps,
            long optedInApps,
            long uints,
            long byteSlices,
            long pages,
            long boxes,
            long boxBytes,
            long minimum) {
        Account account =
                Account.EMPTY.withResources(
                        new Resources(
                                assets,
                                createdAssets,
                                createdApps,
                                optedInApps,
                                uints,
                                byteSlices,
                                pages,
                                boxes,
                                boxBytes));
        assertEquals(minimum, MinimumBalance.of(account, V42));
    }
}
