package io.cairn.metadata;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.cairn.cluster.Inode;
import io.cairn.cluster.PastInode;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.ArrayList;
import java.util.List;

/** All that can be read of a state at the moment of a snapshot, to compare with it later. */
final class PastImage {
    private final int snapshot;
    private final long lastIno;
    private final List<byte[]> seen;

    private PastImage(int snapshot, long lastIno, List<byte[]> seen) {
        this.snapshot = snapshot;
        this.lastIno = lastIno;
        this.seen = seen;
    }

    /** What a namespace shows now, which a snapshot should show from now on. */
    static PastImage of(Namespace namespace, int snapshot, long lastIno) {
        return new PastImage(snapshot, lastIno, look(namespace, 0, snapshot, lastIno));
    }

    /** The snapshot shows all of it, and no more. */
    void compare(Namespace namespace) {
        List<byte[]> now = look(namespace, snapshot, snapshot, lastIno + 20);
        for (int i = 0; i < seen.size(); i++) {
            assertArrayEquals(seen.get(i), now.get(i), "reply " + i + " of snapshot " + snapshot);
        }
    }

    int snapshot() {
        return snapshot;
    }

    /** Replies about all inodes, as a snapshot would show what is read of another one. */
    private static List<byte[]> look(Namespace namespace, int of, int as, long lastIno) {
        List<byte[]> replies = new ArrayList<>();
        for (long ino = 1; ino <= lastIno; ino++) {
            long number = PastInode.of(of, ino);
            replies.add(told(namespace.read(1, new Query.GetInode(number)), of, as));
            long cookie = 0;
            Reply page;
            do {
                page = namespace.read(1, new Query.ReadDirectory(number, cookie, 3, true));
                if (page instanceof Reply.DirectoryReply d && !d.entries().isEmpty()) {
                    cookie = d.entries().getLast().cookie();
                }
                replies.add(told(page, of, as));
            } while (page instanceof Reply.DirectoryReply d && !d.end());
            Reply names = namespace.read(1, new Query.ListXattr(number));
            replies.add(told(names, of, as));
            if (names instanceof Reply.NamesReply list) {
                for (byte[] name : list.names()) {
                    replies.add(namespace.read(1, new Query.GetXattr(number, name)).toBytes(1));
                }
            }
        }
        return replies;
    }

    /** Above the root of a snapshot is the list of snapshots. */
    private static Inode shown(int snapshot, Inode inode) {
        Inode past = PastInode.in(snapshot, inode);
        return inode.ino() == 1 ? PastInode.below(PastInode.list(1), past) : past;
    }

    private static byte[] told(Reply reply, int of, int as) {
        Reply told =
                switch (reply) {
                    case Reply.EntryReply r when of != as ->
                            new Reply.EntryReply(shown(as, r.inode()), null, null, null);
                    case Reply.DirectoryReply r when of != as ->
                            new Reply.DirectoryReply(
                                    PastQueries.in(as, r.directory()),
                                    r.entries().stream().map(e -> PastInode.in(as, e)).toList(),
                                    r.end());
                    case Reply.Failure r -> new Reply.Failure(r.errno(), "");
                    default -> reply;
                };
        return told.toBytes(1);
    }
}
