package topspin.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class TagTest {
    @Test
    void everyTagIsFoundByItsLettersAndNoOtherLettersFindOne() {
        int found = 0;
        for (int code = Short.MIN_VALUE; code <= Short.MAX_VALUE; code++) {
            Tag tag = Tag.of((short) code);
            if (tag != null) {
                assertThat(tag.code()).isEqualTo((short) code);
                found++;
            }
        }
        assertThat(found).isEqualTo(Tag.values().length);
    }

    @Test
    void onlyVotesAndProposalsOvertake() {
        assertThat(Tag.values())
                .filteredOn(Tag::urgent)
                .containsExactlyInAnyOrder(Tag.VOTE, Tag.PROPOSAL, Tag.PACKED_VOTE);
    }
}
