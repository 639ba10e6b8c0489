@NullMarked
package topspin.ledger.account;

import org.jspecify.annotations.NullMarked;
