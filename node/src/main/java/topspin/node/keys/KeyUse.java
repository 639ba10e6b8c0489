package topspin.node.keys;

/**
 * What a set of keys was used for on this node (rest.md section 4). Zero is never.
 *
 * @param firstEffective round from which the ledger counts with these keys: the first that this
 *     node voted in with them
 * @param lastEffective last such round: the keys' last, or that before others took their place
 * @param lastVote latest round in which they signed a vote that went out
 * @param lastProposal latest round for which they proposed a block
 */
public record KeyUse(long firstEffective, long lastEffective, long lastVote, long lastProposal) {
    public static final KeyUse NONE = new KeyUse(0, 0, 0, 0);

    boolean isEffective(long round) {
        return lastEffective != 0 && firstEffective <= round && round <= lastEffective;
    }

    KeyUse withEffective(long first, long last) {
        return new KeyUse(first, last, lastVote, lastProposal);
    }

    KeyUse withVote(long round) {
        return new KeyUse(firstEffective, lastEffective, Math.max(lastVote, round), lastProposal);
    }

    KeyUse withProposal(long round) {
        return new KeyUse(firstEffective, lastEffective, lastVote, Math.max(lastProposal, round));
    }
}
