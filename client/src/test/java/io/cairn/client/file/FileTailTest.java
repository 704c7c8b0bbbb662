package io.cairn.client.file;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.client.file.FileTail.Step;
import org.junit.jupiter.api.Test;

/** Who has to be asked before bytes beyond the end of a file come to light. */
class FileTailTest {
    private static final long BELIEVED_MS = 1000;

    private final FileTail tail = new FileTail(BELIEVED_MS);

    @Test
    void anAnswerIsBelievedForAWhile() {
        assertEquals(Step.ASK, tail.beforeGap(0));
        tail.makeSure(0);
        assertEquals(Step.NOTHING, tail.beforeGap(BELIEVED_MS - 1));
        assertEquals(Step.ASK, tail.beforeGap(BELIEVED_MS));
    }

    @Test
    void theFirstAppendUnderATokenAsksHoweverSureItWas() {
        tail.makeSure(0);
        assertEquals(Step.ASK, tail.beforeAppends());
    }

    @Test
    void whatWeLeftThereIsNotAskedAboutButRenewed() {
        tail.makeSure(0);
        tail.leave();
        assertEquals(Step.RENEW, tail.beforeGap(1));
        assertEquals(Step.RENEW, tail.beforeAppends());
        assertEquals(Step.RENEW, tail.beforeExtension());
        tail.renewed(2);
        assertEquals(Step.NOTHING, tail.beforeGap(3));
        assertEquals(Step.NOTHING, tail.beforeExtension());
    }

    @Test
    void theEndOfTheSessionLeavesTheDoubtToTheMaster() {
        tail.makeSure(0);
        tail.leave();
        tail.doubt();
        assertEquals(Step.ASK, tail.beforeGap(1));
        assertEquals(Step.NOTHING, tail.beforeExtension());
    }
}
