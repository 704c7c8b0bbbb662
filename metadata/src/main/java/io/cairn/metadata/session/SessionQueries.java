package io.cairn.metadata.session;

import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import java.util.ArrayList;
import java.util.List;

/** Queries about sessions. Pure functions. */
public final class SessionQueries {
    private static final byte[] ALL = {};

    private SessionQueries() {}

    public static List<SessionRecord> sessions(View view) {
        List<SessionRecord> sessions = new ArrayList<>();
        view.scan(
                Family.SESSION,
                ALL,
                ALL,
                (key, value) -> {
                    SessionRecord.Stored stored = SessionRecord.Stored.decode(key, value);
                    return sessions.add(
                            new SessionRecord(
                                    stored.session(),
                                    stored.client(),
                                    stored.openedNs(),
                                    stored.numbers().servesRights()));
                });
        return sessions;
    }
}
