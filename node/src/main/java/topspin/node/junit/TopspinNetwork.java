package topspin.node.junit;

import org.junit.jupiter.api.extension.ExtendWith;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Gives a test class, or one test, a network of its own in this JVM, closed when the class or the
 * test ends. Methods and constructors may take as parameters a {@link TestNetwork}, the {@link
 * Endpoint} of its first node, its {@link NetworkClock}, and {@link Account}s: the first such
 * parameter is the first funded account, and so on.
 */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(TopspinExtension.class)
public @interface TopspinNetwork {
    /** How many nodes, 1 to 16. */
    int nodes() default 1;

    /** How blocks come about. */
    Blocks blocks() default Blocks.INSTANT;

    /** Time between blocks of {@link Blocks#INTERVAL}, as {@code 1s} or {@code 250ms}. */
    String interval() default "1s";
}
