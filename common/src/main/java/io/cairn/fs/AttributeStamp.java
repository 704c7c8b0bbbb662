package io.cairn.fs;

/**
 * The attributes of an inode by which a cache tells whether it has changed: each change sets
 * another {@code ctimeNs}. Immutable.
 *
 * @param ino inode number
 * @param size length in bytes
 * @param mtimeNs last change of the contents, nanoseconds since the epoch
 * @param ctimeNs last change of the inode
 */
public record AttributeStamp(long ino, long size, long mtimeNs, long ctimeNs) {
    /** That of some attributes. */
    public static AttributeStamp of(Attributes a) {
        return new AttributeStamp(a.ino(), a.size(), a.mtimeNs(), a.ctimeNs());
    }
}
