package topspin.node.junit;

/**
 * A funded account of a test's network, the same in each: play money.
 *
 * @param address its text form
 * @param mnemonic the 25 words that its key follows from
 */
public record Account(String address, String mnemonic) {}
