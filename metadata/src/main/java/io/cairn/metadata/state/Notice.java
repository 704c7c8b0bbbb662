package io.cairn.metadata.state;

import io.cairn.wire.master.Push;

/**
 * Something a session should hear about as a consequence of an applied log entry. Every master
 * computes them, only the leader sends them; they may be lost.
 *
 * @param session whom to tell; 0 = all sessions
 * @param push what to tell
 */
public record Notice(long session, Push push) {}
