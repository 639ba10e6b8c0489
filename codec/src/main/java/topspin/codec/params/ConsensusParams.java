package topspin.codec.params;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * The rules of one protocol version, as data (validation.md section 1).
 *
 * <p>Each component is named as its key in go-algorand's {@code consensus.json} with the first
 * letter lowered, so that a reader of either finds the other; {@link ConsensusVersions} reads and
 * writes that form from this declaration alone. Amounts are microAlgos, durations nanoseconds,
 * sizes bytes, lookbacks rounds. Amounts, weights, rounds and durations are {@code long} and never
 * negative; counts and sizes are {@code int}.
 */
public record ConsensusParams(
        // Upgrades (block.md section 5): rounds, votes.
        long upgradeVoteRounds,
        long upgradeThreshold,
        long defaultUpgradeWaitRounds,
        long minUpgradeWaitRounds,
        long maxUpgradeWaitRounds,
        // Sizes of a header, a block and a transaction.
        int maxVersionStringLen,
        int maxTxnBytesPerBlock,
        int maxTxnNoteBytes,
        int maxAbsoluteTxnNoteBytes,
        long maxTxnLife,
        Map<String, Long> approvedUpgrades,
        boolean supportGenesisHash,
        boolean requireGenesisHash,
        // Money.
        long defaultKeyDilution,
        long minBalance,
        long minTxnFee,
        boolean enableAppCostPooling,
        boolean enableLogicSigCostPooling,
        long rewardUnit,
        long rewardsRateRefreshInterval,
        // Agreement (agreement.md sections 1 and 11): rounds, committee weights, durations in
        // nanoseconds.
        long seedLookback,
        long seedRefreshInterval,
        long maxBalLookback,
        long numProposers,
        long softCommitteeSize,
        long softCommitteeThreshold,
        long certCommitteeSize,
        long certCommitteeThreshold,
        long nextCommitteeSize,
        long nextCommitteeThreshold,
        long lateCommitteeSize,
        long lateCommitteeThreshold,
        long redoCommitteeSize,
        long redoCommitteeThreshold,
        long downCommitteeSize,
        long downCommitteeThreshold,
        long agreementFilterTimeout,
        long agreementFilterTimeoutPeriod0,
        long agreementDeadlineTimeoutPeriod0,
        long fastRecoveryLambda,
        // What a block carries.
        int paysetCommit,
        long maxTimestampIncrement,
        boolean supportSignedTxnInBlock,
        boolean forceNonParticipatingFeeSink,
        boolean applyData,
        boolean rewardsInApplyData,
        boolean credentialDomainSeparationEnabled,
        boolean supportBecomeNonParticipatingTransactions,
        boolean pendingResidueRewards,
        // Assets.
        boolean asset,
        int maxAssetsPerAccount,
        int maxAssetNameBytes,
        int maxAssetUnitNameBytes,
        int maxAssetURLBytes,
        // Groups, leases, signatures.
        boolean txnCounter,
        boolean supportTxGroups,
        int maxTxGroupSize,
        boolean supportTransactionLeases,
        boolean fixTransactionLeases,
        int logicSigVersion,
        int logicSigMaxSize,
        int maxAbsoluteLogicSigProgramSize,
        int logicSigMaxCost,
        boolean logicSigMsig,
        boolean logicSigLMsig,
        int maxAssetDecimals,
        boolean supportRekeying,
        boolean enforceAuthAddrSenderDiff,
        // Applications and boxes.
        boolean application,
        int maxAppArgs,
        int maxAppTotalArgLen,
        int maxAbsoluteTotalArgLen,
        int maxAppProgramLen,
        int maxAppTotalProgramLen,
        int maxExtraAppProgramPages,
        int maxAbsoluteExtraProgramPages,
        int maxAppTxnAccounts,
        int maxAppTxnForeignApps,
        int maxAppTxnForeignAssets,
        int maxAppTotalTxnReferences,
        int maxAppProgramCost,
        int maxAppKeyLen,
        int maxAppBytesValueLen,
        int maxAppSumKeyValueLens,
        int maxInnerTransactions,
        boolean enableInnerTransactionPooling,
        boolean isolateClearState,
        int minInnerApplVersion,
        int maxAppsCreated,
        int maxAppsOptedIn,
        long appFlatParamsMinBalance,
        long appFlatOptInMinBalance,
        long schemaMinBalancePerEntry,
        long schemaUintMinBalance,
        long schemaBytesMinBalance,
        int maxBoxSize,
        long boxFlatMinBalance,
        long boxByteMinBalance,
        int maxAppBoxReferences,
        int maxAppAccess,
        int bytesPerBoxReference,
        int maxLocalSchemaEntries,
        int maxGlobalSchemaEntries,
        long maximumMinimumBalance,
        // State proofs.
        long stateProofInterval,
        int stateProofTopVoters,
        long stateProofVotersLookback,
        long stateProofWeightThreshold,
        int stateProofStrengthTarget,
        int stateProofMaxRecoveryIntervals,
        boolean stateProofExcludeTotalWeightWithRewards,
        boolean stateProofBlockHashInLightHeader,
        // Corrections of earlier versions.
        boolean enableAssetCloseAmount,
        boolean initialRewardsRateCalculation,
        boolean noEmptyLocalDeltas,
        boolean enableKeyregCoherencyCheck,
        boolean enableProperExtraPageAccounting,
        boolean enableAppVersioning,
        int maxProposedExpiredOnlineAccounts,
        boolean enableLedgerDataUpdateRound,
        boolean rewardsCalculationFix,
        boolean enableStateProofKeyregCheck,
        long maxKeyregValidPeriod,
        boolean unifyInnerTxIDs,
        boolean enableSHA256TxnCommitmentHeader,
        long catchpointLookback,
        long deeperBlockHeaderHistory,
        boolean unfundedSenders,
        boolean enablePrecheckECDSACurve,
        boolean enableBareBudgetError,
        boolean stateProofUseTrackerVerification,
        boolean enableCatchpointsWithSPContexts,
        boolean enableCatchpointsWithOnlineAccounts,
        boolean appForbidLowResources,
        boolean enableBoxRefNameError,
        boolean excludeExpiredCirculation,
        boolean dynamicFilterTimeout,
        // Incentives.
        Payouts payouts,
        Bonus bonus,
        boolean heartbeat,
        // New in v41 and v42.
        boolean enableSha512BlockHash,
        boolean appSizeUpdates,
        boolean allowZeroLocalAppRef,
        boolean loadTracking,
        long perByteTxnSurcharge,
        boolean enablePQSchemeFalcon1024,
        boolean enableSelectF128) {

    /**
     * What a proposer is paid, and what suspends it (block.md section 5). Amounts in microAlgos.
     */
    public record Payouts(
            boolean enabled,
            long goOnlineFee,
            int percent,
            long minBalance,
            long maxBalance,
            int maxMarkAbsent,
            long challengeInterval,
            long challengeGracePeriod,
            int challengeBits) {}

    /**
     * The bonus a block adds to its payout, from {@code baseRound} on, decaying by one percent each
     * interval.
     */
    public record Bonus(long baseRound, long baseAmount, long decayInterval) {}

    /** Approved upgrades are copied, sorted by name, so that equal parameters print alike. */
    public ConsensusParams {
        approvedUpgrades = Collections.unmodifiableMap(new TreeMap<>(approvedUpgrades));
    }

    /**
     * Rounds back from which agreement takes stake and keys: 2 · SeedLookback ·
     * SeedRefreshInterval.
     */
    public long balanceLookback() {
        return 2 * seedLookback * seedRefreshInterval;
    }

    /**
     * The nearest time to {@code wanted} that may follow a block's (block.md section 5): at its
     * end, time stands still.
     *
     * @param wanted seconds
     * @param previous the block's timestamp; up to 0 anything may follow
     */
    public long nextTimestamp(long wanted, long previous) {
        if (previous <= 0) {
            return wanted;
        }
        long latest = previous + maxTimestampIncrement;
        return Math.clamp(wanted, previous, latest < 0 ? Long.MAX_VALUE : latest);
    }
}
