/** Networks in memory, which tests of this and later modules make blocks with. */
@NullMarked
package topspin.ledger;

import org.jspecify.annotations.NullMarked;
