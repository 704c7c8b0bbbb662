package io.cairn.master;

import io.cairn.fs.FileType;
import io.cairn.fs.Lock;
import io.cairn.fs.Name;
import io.cairn.wire.master.TreeMutation;
import java.nio.charset.StandardCharsets;

/** Parts of requests that mounts send. */
final class MountRequests {
    private MountRequests() {}

    /** A new file of a user. */
    static TreeMutation.Create creation(long parentIno, String name, int uid) {
        return new TreeMutation.Create(
                parentIno,
                Name.of(name),
                FileType.FILE,
                0600,
                uid,
                uid,
                0,
                false,
                0,
                new byte[0],
                false);
    }

    /** Text as it goes over the wire. */
    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** A lock of one byte range. */
    static Lock lock() {
        return new Lock(Lock.Kind.POSIX, Lock.Mode.EXCLUSIVE, 1, 0, 9, 1);
    }
}
