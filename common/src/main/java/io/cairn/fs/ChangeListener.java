package io.cairn.fs;

/**
 * Hears exactly what an operation did to the attributes of inodes, for caches that want to know
 * whether anybody else changed something (the weak cache consistency data of NFS). A {@link Caller}
 * brings one along where that matters.
 */
@FunctionalInterface
public interface ChangeListener {
    /**
     * The operation changed an inode, or left it as it is. Not told when that cannot be said
     * exactly. Called on the thread of the operation before it returns.
     *
     * @param before the inode right before the operation; nothing else happened in between
     * @param after the same inode right after it
     */
    void saw(AttributeStamp before, Attributes after);
}
