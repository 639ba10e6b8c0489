@NullMarked
package topspin.ledger.apply;

import org.jspecify.annotations.NullMarked;
