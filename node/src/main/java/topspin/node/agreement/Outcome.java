package topspin.node.agreement;

/** What came of a verification. */
public sealed interface Outcome<T> {
    /** It holds. */
    record Valid<T>(T value) implements Outcome<T> {}

    /** It does not, and never will: whoever sent it is at fault. */
    record Invalid<T>(String reason) implements Outcome<T> {}

    /** Given up, because it no longer matters or this node lacks what it takes: nobody's fault. */
    record Cancelled<T>() implements Outcome<T> {}
}
