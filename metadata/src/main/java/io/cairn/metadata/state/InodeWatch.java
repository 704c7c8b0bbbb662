package io.cairn.metadata.state;

import io.cairn.cluster.Inode;
import io.cairn.metadata.state.Store.Change;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sees all changes of inodes, to keep records that follow from them. On the apply thread. */
public interface InodeWatch {
    /** Keeps nothing. */
    InodeWatch NONE =
            new InodeWatch() {
                @Override
                public void changing(@Nullable Inode before, @Nullable Inode after) {}

                @Override
                public void finish(List<Change> changes) {}
            };

    /**
     * An inode is about to change; all others are as they were.
     *
     * @param before null for a new one
     * @param after null when it goes
     */
    void changing(@Nullable Inode before, @Nullable Inode after);

    /**
     * Adds the changes that follow from those of the log entry, which is complete; may still write
     * other records.
     */
    void finish(List<Change> changes);
}
