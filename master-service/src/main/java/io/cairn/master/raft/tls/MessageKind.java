package io.cairn.master.raft.tls;

import org.jspecify.annotations.Nullable;

/** What a master asks another one; its code is the first byte of the request. */
enum MessageKind {
    VOTE(1),
    APPEND(2),
    SNAPSHOT(3),
    ELECTION(4),
    HELLO(5),
    AUTHORITY(6);

    private final byte code;

    MessageKind(int code) {
        this.code = (byte) code;
    }

    byte[] header() {
        return new byte[] {code};
    }

    /** The kind of a request; null when there is none of this code. */
    static @Nullable MessageKind of(byte[] header) {
        for (MessageKind each : values()) {
            if (header.length == 1 && header[0] == each.code) {
                return each;
            }
        }
        return null;
    }
}
