package io.cairn.metadata.session;

import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import io.cairn.wire.Decoder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Checks the replies that sessions remember (I3). */
public final class SessionCheck {
    private final View view;
    private final Consumer<String> violated;
    private final Set<Long> sessions = new HashSet<>();
    private long repliesOf;
    private final List<Long> sequences = new ArrayList<>();
    private long ackedUpTo;

    public SessionCheck(View view, Consumer<String> violated) {
        this.view = view;
        this.violated = violated;
    }

    /** Returns the sessions that are open. */
    public Set<Long> check() {
        view.each(Family.SESSION, (key, value) -> sessions.add(Keys.numberAt(key, 0)));
        view.each(Family.REPLY, this::checkReply);
        finishReplies();
        return sessions;
    }

    private void checkReply(byte[] key, byte[] value) {
        long session = Keys.numberAt(key, 0);
        if (session != repliesOf) {
            finishReplies();
            repliesOf = session;
        }
        Decoder in = Keys.open(Family.REPLY, value);
        ackedUpTo = Math.max(ackedUpTo, in.i64());
        sequences.add(Keys.numberAt(key, 8));
        if (in.remaining() == 0) {
            violated.accept("I3 a reply of session " + session + " is empty");
        }
    }

    private void finishReplies() {
        if (!sequences.isEmpty() && !sessions.contains(repliesOf)) {
            violated.accept("I3 replies of session " + repliesOf + ", which is not open");
        }
        for (long sequence : sequences) {
            if (!Session.fits(sequence, ackedUpTo)) {
                violated.accept(
                        "I3 reply "
                                + sequence
                                + " of session "
                                + repliesOf
                                + ", acknowledged "
                                + ackedUpTo);
            }
        }
        sequences.clear();
        ackedUpTo = 0;
    }
}
