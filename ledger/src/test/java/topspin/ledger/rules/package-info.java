@NullMarked
package topspin.ledger.rules;

import org.jspecify.annotations.NullMarked;
