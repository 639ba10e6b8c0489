package topspin.node.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class QueryTest {
    @ParameterizedTest
    @CsvSource({
        "a=b, b",
        "A=b,",
        "a, ''",
        "a=, ''",
        "x=1&a=2, 2",
        "a=%41%c3%a4, A\u00e4",
        "a=1+2, 1 2",
        "a=%zz,",
        "a=1;b=2,",
        "%61=7, 7",
        "&&a=1&&, 1",
        "a=b=c, b=c",
        "=x&a=1, 1"
    })
    void findsAValue(String query, String value) {
        assertThat(Query.parse(query).single("a")).isEqualTo(value);
    }

    @Test
    void aKeyMayStandOnce() {
        Query twice = Query.parse("limit=1&limit=2");
        assertThatThrownBy(() -> twice.single("limit"))
                .hasMessage(
                        "Invalid format for parameter limit: multiple values for single value"
                                + " parameter 'limit'");
        assertThatThrownBy(() -> twice.list("limit"))
                .hasMessage(
                        "Invalid format for parameter limit: parameter 'limit' is not exploded,"
                                + " but is specified multiple times");
        assertThat(Query.parse("a=x,,y").list("a")).containsExactly("x", "", "y");
        assertThat(Query.parse("").list("a")).isNull();
    }

    @Property
    void noQueryIsTooStrange(@ForAll String raw) {
        Query.parse(raw).list("a");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "007, 7",
        "18446744073709551615, -1",
        "9223372036854775808, -9223372036854775808"
    })
    void readsUnsignedNumbers(String text, long value) {
        assertThat(GoText.parseUint("n", text)).isEqualTo(value);
    }

    @ParameterizedTest
    @CsvSource({
        "'', invalid syntax",
        "-1, invalid syntax",
        "+1, invalid syntax",
        "1.5, invalid syntax",
        "0x1, invalid syntax",
        "1e3, invalid syntax",
        "18446744073709551616, value out of range",
        "99999999999999999999999, value out of range",
        "18446744073709551616x, invalid syntax"
    })
    void refusesOtherNumbers(String text, String reason) {
        assertThatThrownBy(() -> GoText.parseUint("n", text))
                .hasMessage(
                        "Invalid format for parameter n: error binding string parameter:"
                                + " strconv.ParseUint: parsing \""
                                + text
                                + "\": "
                                + reason);
    }

    @Test
    void quotesAsTheReferenceDoes() {
        assertThat(GoText.quote("a\"\\\n\u0001\u007f\u00e4\u2028\u00a0"))
                .isEqualTo("\"a\\\"\\\\\\n\\x01\\x7f\u00e4\\u2028\\u00a0\"");
    }
}
