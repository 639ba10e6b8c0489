package topspin.ledger.rules;

import static topspin.ledger.rules.Refusal.Kind.BEYOND_US;
import static topspin.ledger.rules.Refusal.Kind.FOREVER;
import static topspin.ledger.rules.Refusal.Kind.FOR_NOW;

/**
 * Why a transaction, a group or a block is refused. The texts are the reference node's
 * (validation.md); <code>{}</code> stands for an argument, <code>{amount}</code> for one that is
 * printed as an amount of money.
 */
public enum Reason {
    // Form of one transaction: validation.md sections 3 and 4.
    UNKNOWN_TYPE(FOREVER, "unknown tx type {}"),
    FOREIGN_FIELDS(FOREVER, "transaction of type {} has non-zero fields for type {}"),
    LIFETIME_REVERSED(FOREVER, "transaction invalid range ({}--{})"),
    LIFETIME_TOO_LONG(FOREVER, "transaction window size excessive ({}--{})"),
    NOTE_TOO_BIG(FOREVER, "transaction note too big: {} > {}"),
    SENDER_IS_REWARDS_POOL(FOREVER, "transaction from incentive pool is invalid"),
    SENDER_ZERO(FOREVER, "transaction cannot have zero sender"),

    CLOSE_TO_SENDER(FOREVER, "transaction cannot close account to its sender {}"),
    FEE_SINK_SPENDS(FOREVER, "cannot spend from fee sink address {}"),
    FEE_SINK_SPENDS_ELSEWHERE(
            FOREVER, "cannot spend from fee sink's address {} to non incentive pool address {}"),
    FEE_SINK_CLOSES(FOREVER, "cannot close fee sink {} to {}"),

    KEYREG_OF_FEE_SINK(FOREVER, "cannot register participation key for fee sink's address {}"),
    KEYREG_ROUNDS_REVERSED(
            FOREVER, "transaction first voting round need to be less than its last voting round"),
    KEYREG_KEYS_INCOMPLETE(
            FOREVER,
            "the following transaction fields need to be clear/set together : votekey, selkey,"
                    + " votekd"),
    KEYREG_OFFLINE_WITH_ROUNDS(
            FOREVER,
            "on going offline key registration transaction, the vote first and vote last fields"
                    + " should not be set"),
    KEYREG_ONLINE_WITHOUT_LAST(
            FOREVER,
            "transaction tries to register keys to go online, but vote last is set to zero"),
    KEYREG_FIRST_BEYOND_LIFETIME(
            FOREVER,
            "transaction tries to register keys to go online, but first voting round is beyond the"
                    + " round after last valid round"),
    KEYREG_NONPART_WITH_KEYS(
            FOREVER,
            "transaction tries to register keys to go online, but nonparticipatory flag is set"),
    KEYREG_PERIOD_TOO_LONG(FOREVER, "validity period for keyreg transaction is too long"),
    KEYREG_NONPART_STATE_PROOF_KEY(
            FOREVER, "non participation keyreg transactions should contain empty stateProofPK"),
    KEYREG_OFFLINE_STATE_PROOF_KEY(
            FOREVER, "offline keyreg transactions should contain empty stateProofPK"),
    KEYREG_ONLINE_STATE_PROOF_KEY(
            FOREVER, "online keyreg transaction cannot have empty field StateProofPK"),

    ASSET_NAME_TOO_BIG(FOREVER, "transaction asset name too big: {} > {}"),
    ASSET_UNIT_NAME_TOO_BIG(FOREVER, "transaction asset unit name too big: {} > {}"),
    ASSET_URL_TOO_BIG(FOREVER, "transaction asset url too big: {} > {}"),
    ASSET_DECIMALS_TOO_HIGH(FOREVER, "transaction asset decimals is too high (max is {})"),
    ASSET_ID_ZERO(FOREVER, "asset ID cannot be zero"),
    ASSET_CLOSE_BY_CLAWBACK(FOREVER, "cannot close asset by clawback"),
    FREEZE_ACCOUNT_EMPTY(FOREVER, "freeze account cannot be empty"),

    APP_ON_COMPLETION(FOREVER, "invalid application OnCompletion ({})"),
    APP_REJECT_VERSION_ON_CREATE(FOREVER, "tx.RejectVersion cannot be set during creation"),
    APP_PROGRAMS_OUT_OF_PLACE(
            FOREVER, "programs may only be specified during application creation or update"),
    APP_PROGRAM_VERSION(FOREVER, "bad program version"),
    APP_PROGRAM_VERSION_MISMATCH(FOREVER, "program version mismatch: {} != {}"),
    APP_EXTRA_PAGES_OUT_OF_PLACE(FOREVER, "tx.ExtraProgramPages is immutable"),
    APP_EXTRA_PAGES_TOO_MANY(FOREVER, "tx.ExtraProgramPages exceeds MaxExtraAppProgramPages = {}"),
    APP_LOCAL_SCHEMA_OUT_OF_PLACE(FOREVER, "tx.LocalStateSchema is immutable"),
    APP_GLOBAL_SCHEMA_OUT_OF_PLACE(FOREVER, "tx.GlobalStateSchema is immutable"),
    APP_LOCAL_SCHEMA_TOO_LARGE(FOREVER, "tx.LocalStateSchema is too large. {} > {}"),
    APP_GLOBAL_SCHEMA_TOO_LARGE(FOREVER, "tx.GlobalStateSchema is too large. {} > {}"),
    APP_APPROVAL_TOO_LONG(FOREVER, "approval program too long. max len {} bytes"),
    APP_CLEAR_TOO_LONG(FOREVER, "clear state program too long. max len {} bytes"),
    APP_PROGRAMS_TOO_LONG(FOREVER, "app programs too long. max total len {} bytes"),
    APP_ARGUMENTS_TOO_MANY(FOREVER, "tx.ApplicationArgs has too many arguments. {} > {}"),
    APP_ARGUMENT_TOO_LONG(FOREVER, "tx.ApplicationArgs[{}] is too long. {} > {}"),
    APP_ARGUMENTS_TOO_LONG(FOREVER, "tx.ApplicationArgs total length is too long. {} > {}"),
    APP_ACCESS_TOO_MANY(FOREVER, "tx.Access too long, max number of references is {}"),
    APP_ACCESS_WITH_OTHERS(FOREVER, "tx.Access can't be used when tx.{} is used"),
    APP_ACCESS_ENTRY(FOREVER, "tx.Access with malformed entry"),
    APP_ACCOUNTS_TOO_MANY(FOREVER, "tx.Accounts too long, max number of accounts is {}"),
    APP_FOREIGN_APPS_TOO_MANY(FOREVER, "tx.ForeignApps too long, max number of foreign apps is {}"),
    APP_FOREIGN_ASSETS_TOO_MANY(
            FOREVER, "tx.ForeignAssets too long, max number of foreign assets is {}"),
    APP_BOXES_TOO_MANY(FOREVER, "tx.Boxes too long, max number of box references is {}"),
    APP_REFERENCES_TOO_MANY(FOREVER, "tx references exceed MaxAppTotalTxnReferences = {}"),
    APP_BOX_INDEX(FOREVER, "tx.Boxes[{}].Index is {}. Exceeds len(tx.ForeignApps)"),
    APP_BOX_NAME_TOO_LONG(FOREVER, "tx.Boxes[{}].Name too long, max len {} bytes"),

    STATE_PROOF_SENDER(FOREVER, "sender must be the state-proof sender"),
    STATE_PROOF_FEE(FOREVER, "fee must be zero in state-proof transaction"),
    STATE_PROOF_NOTE(FOREVER, "note must be empty in state-proof transaction"),
    STATE_PROOF_GROUP(FOREVER, "group must be zero in state-proof transaction"),
    STATE_PROOF_REKEY(FOREVER, "rekey must be zero in state-proof transaction"),
    STATE_PROOF_LEASE(FOREVER, "lease must be zero in state-proof transaction"),

    HEARTBEAT_WITHOUT_FIELDS(FOREVER, "heartbeat transaction has no heartbeat fields"),
    HEARTBEAT_NOTE(FOREVER, "tx.Note is set in {} heartbeat"),
    HEARTBEAT_LEASE(FOREVER, "tx.Lease is set in {} heartbeat"),
    HEARTBEAT_REKEY(FOREVER, "tx.RekeyTo is set in {} heartbeat"),
    HEARTBEAT_PROOF_EMPTY(FOREVER, "tx.HbProof is empty"),
    HEARTBEAT_SEED_EMPTY(FOREVER, "tx.HbSeed is empty"),
    HEARTBEAT_VOTE_ID_EMPTY(FOREVER, "tx.HbVoteID is empty"),
    HEARTBEAT_DILUTION_ZERO(FOREVER, "tx.HbKeyDilution is zero"),

    // Groups: section 5.
    GROUP_TOO_LARGE(FOREVER, "group size {} exceeds maximum {}"),
    GROUP_ID_MISSING(
            FOREVER, "transactionGroup: [{}] had zero Group but was submitted in a group of {}"),
    GROUP_INCONSISTENT(FOREVER, "transactionGroup: inconsistent group values: {} != {}"),
    GROUP_INCOMPLETE(FOREVER, "transactionGroup: incomplete group: {} != {} ({})"),
    GROUP_HEARTBEAT(
            FOREVER,
            "heartbeat transaction may not be grouped with an application call or asset creation"),

    // Signatures: section 6.
    SIGNATURE_MISSING(FOREVER, "signedtxn has no sig"),
    SIGNATURES_OF_SEVERAL_KINDS(FOREVER, "signedtxn should have only one type of signature"),
    SIGNER_IS_SENDER(FOREVER, "AuthAddr must be different from Sender"),
    SIGNATURE_INVALID(FOREVER, "At least one signature didn't pass verification"),
    MULTISIG_VERSION(FOREVER, "multisig validation failed: unknown version"),
    MULTISIG_THRESHOLD(FOREVER, "multisig validation failed: Invalid threshold"),
    MULTISIG_ADDRESS(FOREVER, "multisig validation failed: Invalid address"),
    MULTISIG_COUNT(FOREVER, "multisig validation failed: Invalid number of signatures"),
    LOGIC_WITHOUT_PROGRAM(FOREVER, "LogicSig fields without LogicSig program"),
    LOGIC_TOO_LONG(FOREVER, "LogicSig.Logic too long. max size is {} bytes"),
    LOGIC_BAD_VERSION(FOREVER, "LogicSig.Logic bad version"),
    LOGIC_VERSION_TOO_NEW(FOREVER, "LogicSig.Logic version too new"),
    LOGIC_DELEGATIONS_SEVERAL(
            FOREVER, "LogicSig should have only one type of delegation signature"),
    LOGIC_NOT_SIGNED(FOREVER, "LogicNot signed and not a Logic-only account"),
    LOGIC_MULTISIG(FOREVER, "LogicSig Msig field not supported in this consensus version"),
    LOGIC_ARGUMENTS_TOO_LONG(
            FOREVER,
            "txgroup had {} bytes of LogicSig args, more than the available size pool of {} bytes"
                    + " (per-LogicSig allowance is {})"),
    PQ_SCHEME_UNKNOWN(FOREVER, "pq signature validation failed: pq signature scheme not supported"),
    PQ_AUTHORIZER(FOREVER, "pq signature validation failed: pq signature authorizer mismatch"),
    PQ_EMPTY(FOREVER, "pq signature validation failed: pq signature is empty"),

    // Against the round being built: sections 3 (alive), 6.2, 7, 9.
    DEAD(FOR_NOW, "txn dead: round {} outside of {}--{}"),
    GENESIS_ID(FOREVER, "tx.GenesisID <{}> does not match expected <{}>"),
    GENESIS_HASH(FOREVER, "tx.GenesisHash <{}> does not match expected <{}>"),
    GENESIS_HASH_MISSING(FOREVER, "required tx.GenesisHash is missing"),
    DUPLICATE(FOR_NOW, "transaction already in ledger: {}"),
    LEASE_HELD(FOR_NOW, "transaction {} using an overlapping lease (sender, lease):({}, {})"),
    WRONG_AUTHORIZER(
            FOR_NOW, "should have been authorized by {} but was actually authorized by {}"),
    GROUP_FEE_TOO_LOW(
            FOR_NOW, "txgroup with {amount} fees is less than {amount} (usage={} * base={amount})"),
    NO_SPACE(FOR_NOW, "block does not have space for transaction"),

    // Applying it: section 11.
    OVERSPEND(
            FOR_NOW,
            "overspend (account {}, data {MicroAlgos:{} RewardsBase:{}}, tried to spend {amount})"),
    BALANCE_OVERFLOW(FOR_NOW, "balance overflow (account {}, balance {}, tried to receive {})"),
    BALANCE_BELOW_MINIMUM(FOR_NOW, "account {} balance {} below min {} ({} assets)"),
    CLOSE_HAS_ASSETS(FOR_NOW, "cannot close: {} outstanding assets"),
    CLOSE_HAS_CREATED_ASSETS(FOR_NOW, "cannot close: {} outstanding created assets"),
    CLOSE_HAS_OPT_INS(
            FOR_NOW,
            "cannot close: {} outstanding applications opted in. Please opt out or clear them"),
    CLOSE_HAS_BOXES(FOR_NOW, "cannot close: {} outstanding boxes"),
    CLOSE_HAS_CREATED_APPS(FOR_NOW, "cannot close: {} outstanding created applications"),
    CLOSE_BALANCE_LEFT(FOR_NOW, "balance {} still not zero after CloseRemainderTo"),

    ASSET_ABSENT(FOR_NOW, "asset {} does not exist or has been deleted"),
    ASSETS_TOO_MANY(FOR_NOW, "too many assets in account: {} > {}"),
    ASSET_MANAGER(
            FOR_NOW,
            "this transaction should be issued by the manager. It is issued by {}, manager key {}"),
    ASSET_DESTROY(FOR_NOW, "cannot destroy asset: creator is holding only {}/{}"),
    ASSET_CLAWBACK(FOR_NOW, "clawback not allowed: sender {}, clawback {}"),
    ASSET_MISSING(FOR_NOW, "asset {} missing from {}"),
    ASSET_FROZEN(FOR_NOW, "asset {} frozen in {}"),
    ASSET_UNDERFLOW(FOR_NOW, "underflow on subtracting {} from sender amount {}"),
    ASSET_RECEIVER_MISSING(FOR_NOW, "receiver error: must optin, asset {} missing from {}"),
    ASSET_RECEIVER_FROZEN(FOR_NOW, "asset frozen in recipient"),
    ASSET_OVERFLOW(FOR_NOW, "overflow on adding {} to receiver amount {}"),
    ASSET_CLOSE_NOT_OPTED_IN(
            FOR_NOW,
            "cannot close asset holding on account {} : account is not opted in asset {} "),
    ASSET_CLOSE_BY_CREATOR(FOR_NOW, "cannot close asset ID in allocating account"),
    ASSET_CLOSE_ABSENT(FOR_NOW, "asset {} not present in account {}"),
    ASSET_CLOSE_LEFT(FOR_NOW, "asset {} not zero ({}) after closing"),
    FREEZE_NOT_ALLOWED(FOR_NOW, "freeze not allowed: sender {}, freeze {}"),
    FREEZE_ABSENT(FOR_NOW, "asset not found in account"),

    KEYREG_NOT_PARTICIPATING(
            FOR_NOW, "cannot change online/offline status of non-participating account {}"),
    KEYREG_LAST_IN_PAST(
            FOR_NOW,
            "transaction tries to mark an account as online with last voting round in the past"),
    KEYREG_FIRST_TOO_FAR(
            FOR_NOW,
            "transaction tries to mark an account as online with first voting round beyond the next"
                    + " voting round"),

    // What this node does not judge.
    APPLICATION_UNSUPPORTED(BEYOND_US, "application calls are not supported by this node"),
    STATE_PROOF_UNSUPPORTED(BEYOND_US, "state proof transactions are not supported by this node"),
    HEARTBEAT_UNSUPPORTED(BEYOND_US, "heartbeat transactions are not supported by this node"),
    LOGIC_UNSUPPORTED(BEYOND_US, "logic signatures are not supported by this node"),
    PQ_UNSUPPORTED(BEYOND_US, "post-quantum (Falcon) signatures are not supported by this node"),
    PROTOCOL_UNSUPPORTED(BEYOND_US, "protocol not supported: {}"),

    // A whole block: block.md.
    BLOCK_ROUND(FOR_NOW, "block round {} is not the next round {}"),
    BLOCK_PREVIOUS(FOREVER, "block branch incorrect blk-{} != blk-{}"),
    BLOCK_PREVIOUS512(FOREVER, "block branch512 incorrect {} != {}"),
    BLOCK_ROOT(FOREVER, "txn root wrong: {} != {}"),
    BLOCK_TIME_BEFORE(FOREVER, "bad timestamp: current {} < previous {}"),
    BLOCK_TIME_BEYOND(FOREVER, "bad timestamp: current {} > previous {}, max increment = {} "),
    BLOCK_GENESIS_ID_MISSING(FOREVER, "genesis ID missing"),
    BLOCK_GENESIS_ID(FOREVER, "genesis ID mismatch: {} != {}"),
    BLOCK_GENESIS_HASH_MISSING(FOREVER, "genesis hash missing"),
    BLOCK_GENESIS_HASH(FOREVER, "genesis hash mismatch: {} != {}"),
    BLOCK_PROPOSER_MISSING(FOREVER, "proposer missing when payouts enabled"),
    BLOCK_PROPOSER_SET(FOREVER, "proposer {} set when payouts disabled"),
    BLOCK_FEES(FOREVER, "fees collected wrong: {amount} != {amount}"),
    BLOCK_BONUS(FOREVER, "bad bonus: {amount} != {amount} "),
    BLOCK_PAYOUT(FOREVER, "proposal wants {} payout, {} is allowed"),
    BLOCK_PAYOUT_TO_NOBODY(FOREVER, "no proposer, and {} payout"),
    BLOCK_PAYOUT_CLOSED(FOREVER, "proposer {} is closed but expects payout {}"),
    BLOCK_REWARDS(FOREVER, "bad rewards state: {} != {}"),
    BLOCK_REWARDS_POOL(
            FOREVER, "rewards pool cannot pay for {} units: its balance would go below {}"),
    BLOCK_UPGRADE_STATE(FOREVER, "UpgradeState mismatch: {} != {}"),
    BLOCK_UPGRADE_PROPOSED_AGAIN(
            FOREVER, "applyUpgradeVote: new proposal {} during existing proposal {}"),
    BLOCK_UPGRADE_DELAY_RANGE(
            FOREVER,
            "applyUpgradeVote: proposed upgrade wait rounds {} out of permissible range [{}, {}]"),
    BLOCK_UPGRADE_DELAY_WITHOUT(
            FOREVER, "applyUpgradeVote: upgrade delay {} nonzero when not proposing"),
    BLOCK_UPGRADE_NAME_TOO_LONG(FOREVER, "applyUpgradeVote: proposed protocol version {} too long"),
    BLOCK_UPGRADE_APPROVAL_WITHOUT(
            FOREVER, "applyUpgradeVote: approval without an active proposal"),
    BLOCK_UPGRADE_APPROVAL_LATE(FOREVER, "applyUpgradeVote: approval after vote deadline"),
    BLOCK_COUNTER(FOREVER, "txn count wrong: {} != {}"),
    BLOCK_STATE_PROOF_TYPE(FOREVER, "StateProofType {} unexpected"),
    BLOCK_STATE_PROOF_NEXT(FOREVER, "StateProofNextRound wrong: {} != {}"),
    BLOCK_STATE_PROOF_WEIGHT(FOREVER, "StateProofOnlineTotalWeight wrong: {amount} != {amount}"),
    BLOCK_STATE_PROOF_VOTERS(FOREVER, "StateProofVotersCommitment wrong: {} != {}"),
    BLOCK_LOAD(FOREVER, "bad load: {} != {}"),
    BLOCK_CONGESTION(FOREVER, "bad congestion tax: {} != {}"),
    BLOCK_APPLY_DATA(FOREVER, "applyData mismatch: {} != {}"),
    BLOCK_GENESIS_HASH_FLAG(
            FOREVER, "HasGenesisHash set to true but RequireGenesisHash obviates the flag"),
    BLOCK_GENESIS_REPEATED(FOREVER, "genesis of a transaction in a block not empty"),
    BLOCK_LIST_TOO_LONG(FOREVER, "length of {} accounts ({}) was greater than expected ({})"),
    BLOCK_LIST_DUPLICATE(FOREVER, "duplicate address found: {}"),
    BLOCK_EXPIRED_NO_KEY(FOREVER, "endOfBlock found expiration candidate {} had no vote key"),
    BLOCK_EXPIRED_TOO_EARLY(
            FOREVER, "endOfBlock found {} round ({}) was not less than current round ({})"),
    BLOCK_ABSENT_NOT_ONLINE(FOREVER, "proposed absent account {} was {}, not Online"),
    BLOCK_ABSENT_EMPTY(FOREVER, "proposed absent account {} with zero algos"),
    BLOCK_ABSENT_NOT_ELIGIBLE(FOREVER, "proposed absent account {} not IncentiveEligible"),
    BLOCK_ABSENT_NOT_ABSENT(FOREVER, "proposed absent account {} is not absent in {}, {}");

    private final Refusal.Kind kind;
    private final String text;
    private final Refusal plain = new Refusal(this);

    Reason(Refusal.Kind kind, String text) {
        this.kind = kind;
        this.text = text;
    }

    public Refusal.Kind kind() {
        return kind;
    }

    /** The text with its placeholders. */
    String template() {
        return text;
    }

    /** The refusal for a reason whose text has no placeholders: always the same value. */
    public Refusal refusal() {
        return plain;
    }

    /**
     * A refusal with what its text mentions, in order: a {@code Long} (printed unsigned), an
     * address or a digest, or any text. Nothing is formatted before somebody reads it.
     */
    public Refusal refusal(Object... arguments) {
        return new Refusal(this, arguments);
    }
}
