package io.cairn.client.file;

/**
 * The bytes in the chunks of one file beyond its end: none, or those of a client that never
 * committed them, because it is no more or its commit failed. A client that extends the file over a
 * gap would bring that to light. So it first asks the master whether any client was lost since the
 * last object of the file was made. If so, the file gets a new one for its tail.
 *
 * <pre>
 *   doubtful --- asked, made ---> sure ---- some time, end of the session ---> doubtful
 *   doubtful, sure --- a write of ours failed ---> left --- renewed ---> sure
 * </pre>
 *
 * <p>Writes without a gap ask nothing. The answer is believed for as long as attributes are, and
 * for that long nobody is asked about a file made here. Only knows and decides; {@link OpenInode}
 * guards it, {@link Growth} does it.
 */
final class FileTail {
    /** The work to be done before zeros beyond the end begin to count. */
    enum Step {
        /** Nothing. */
        NOTHING,

        /** The master is to be asked. */
        ASK,

        /** The file is to get another object for its tail. */
        RENEW
    }

    private final long believedMs;
    private boolean sure;
    private long sureSinceMs;
    private boolean left;

    /**
     * Nothing is known of it.
     *
     * @param believedMs how long an answer is believed
     */
    FileTail(long believedMs) {
        this.believedMs = believedMs;
    }

    /** Before bytes are written that leave a gap before them. */
    Step beforeGap(long nowMs) {
        if (left) {
            return Step.RENEW;
        }
        return sure && nowMs - sureSinceMs < believedMs ? Step.NOTHING : Step.ASK;
    }

    /** Before the first append under a new token: an answer from before it says nothing. */
    Step beforeAppends() {
        return left ? Step.RENEW : Step.ASK;
    }

    /** Before the master makes the file longer, which looks itself for clients that were lost. */
    Step beforeExtension() {
        return left ? Step.RENEW : Step.NOTHING;
    }

    /** There is nothing beyond the end but what living clients are about to commit. */
    void makeSure(long nowMs) {
        sureSinceMs = nowMs;
        sure = true;
    }

    /** The tail is in a new object. */
    void renewed(long nowMs) {
        left = false;
        makeSure(nowMs);
    }

    /**
     * The session ended, so that the master doubts all that there is: it is to be asked before the
     * next gap.
     */
    void doubt() {
        sure = false;
        left = false;
    }

    /** Bytes of this client may be beyond the end that it will never commit. */
    void leave() {
        left = true;
    }

    /** Whether there are such bytes. */
    boolean isLeft() {
        return left;
    }
}
