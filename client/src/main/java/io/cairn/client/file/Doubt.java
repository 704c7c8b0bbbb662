package io.cairn.client.file;

import io.cairn.client.session.Await;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.concurrent.CompletableFuture;

/**
 * Whether others may have cut or lengthened a file without the master having told this client: then
 * it is asked before anything is decided by the size or the layout. Usually it tells before the
 * others are answered, and nobody is asked. Thread-safe by the lock of the inode.
 */
public final class Doubt {
    private final InodeState state;
    private final Mount mount;
    private long begun;
    private long settled;

    Doubt(InodeState state, Mount mount) {
        this.state = state;
        this.mount = mount;
    }

    /** What the master says may not have arrived. */
    public void begin() {
        synchronized (state) {
            begun++;
            state.expire();
        }
    }

    /** Whether the master has to be asked. */
    public boolean isOpen() {
        synchronized (state) {
            return begun != settled || !mount.master().session().hearsOfChanges();
        }
    }

    /** Asks the master if that is needed; blocks. */
    public void settle() {
        if (isOpen()) {
            look();
        }
    }

    /** Asks the master for the size, which others may have changed by writing; blocks. */
    public void look() {
        long number = begun();
        Reply reply = mount.master().ask(new Query.GetInode(state.ino()));
        settled(number, Await.expect(reply, Reply.EntryReply.class));
    }

    /** Asks the master; its answer, taken over if it is the inode. Never blocks. */
    CompletableFuture<Reply> ask() {
        long number = begun();
        return mount.master()
                .query(new Query.GetInode(state.ino()))
                .thenApply(
                        reply -> {
                            if (reply instanceof Reply.EntryReply entry) {
                                settled(number, entry);
                            }
                            return reply;
                        });
    }

    private long begun() {
        synchronized (state) {
            return begun;
        }
    }

    private void settled(long number, Reply.EntryReply entry) {
        synchronized (state) {
            state.adopt(entry.inode());
            settled = Math.max(settled, number);
        }
    }
}
