package io.cairn.client.file;

import io.cairn.fs.AttributeStamp;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileWatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Whether an inode changes only by this client's commits while somebody looks. Thread-safe. */
final class InodeWatch implements FileWatch {
    private final OpenInode inode;
    private final OwnChanges.Mark mark;
    private final AtomicBoolean closed = new AtomicBoolean();

    InodeWatch(OpenInode inode) {
        this.inode = inode;
        this.mark = inode.with(s -> s.ownChanges().watch(s.attributes()));
    }

    @Override
    public AttributeStamp before() {
        return mark.stamp();
    }

    @Override
    public @Nullable Attributes after() {
        return inode.with(
                s -> s.ownChanges().isUnbrokenSince(mark) && !s.isDirty() ? s.attributes() : null);
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            inode.tell(s -> s.ownChanges().unwatch());
        }
    }
}
