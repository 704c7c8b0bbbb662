package io.cairn.client.file;

import io.cairn.client.session.Await;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.concurrent.CompletableFuture;

/**
 * Asks the master for a file that others may have cut or lengthened without the master having told
 * this client, before anything is decided by the size or the layout. Usually it tells before the
 * others are answered, and nobody is asked. Thread-safe.
 */
public final class Doubt {
    private final OpenInode inode;
    private final Mount mount;

    Doubt(OpenInode inode, Mount mount) {
        this.inode = inode;
        this.mount = mount;
    }

    /** The master's news may not have arrived. */
    public void begin() {
        inode.tell(FileState::beginDoubt);
    }

    /** Whether the master has to be asked. */
    public boolean isOpen() {
        return inode.with(FileState::isDoubtful);
    }

    /** Asks the master if that is needed; blocks. */
    public void settle() {
        if (isOpen()) {
            look();
        }
    }

    /** Asks the master for the size, which others may have changed by writing; blocks. */
    public void look() {
        long number = inode.with(FileState::doubt);
        Reply reply = mount.master().ask(new Query.GetInode(inode.ino()));
        settled(number, Await.expect(reply, Reply.EntryReply.class));
    }

    /** Asks the master; its answer, taken over if it is the inode. Never blocks. */
    CompletableFuture<Reply> ask() {
        long number = inode.with(FileState::doubt);
        return mount.master()
                .query(new Query.GetInode(inode.ino()))
                .thenApply(
                        reply -> {
                            if (reply instanceof Reply.EntryReply entry) {
                                settled(number, entry);
                            }
                            return reply;
                        });
    }

    private void settled(long number, Reply.EntryReply entry) {
        inode.tell(s -> s.settled(number, entry.inode()));
    }
}
