package io.cairn.cluster;

import io.cairn.fs.Attributes;
import org.jspecify.annotations.Nullable;

/**
 * An inode as the master keeps it and tells it to clients; one encoding serves both.
 *
 * @param attributes what stat tells
 * @param parentIno the home: the directory of its name, or of one of them, to which it is counted
 *     (the root: itself). 0 when it has none; a removed directory keeps it
 * @param nameCookie cookie of that name, 0 when there is none; the home and it lead to the path
 * @param policy what new contents (of a directory: new children) ask for
 * @param layout regular files: where chunks live; others: null
 * @param inline regular files: the whole contents while they live in the inode (length = size),
 *     null once they live in chunks; symlinks: the target; others: null
 * @param entryCount directories: number of entries; others: 0
 * @param exclusiveVerifier NFS exclusive create verifier, 0 when none
 * @param nameChanges directories: how many mutations have added, removed or replaced names in it
 *     since it was made, 0 at first; regular files: {@link #cuts}; others: 0
 */
public record Inode(
        Attributes attributes,
        long parentIno,
        long nameCookie,
        Policy policy,
        @Nullable Layout layout,
        byte @Nullable [] inline,
        long entryCount,
        long exclusiveVerifier,
        long nameChanges) {

    /** The inode number. */
    public long ino() {
        return attributes.ino();
    }

    /**
     * How often the size of a regular file was set: what lies beyond it then is cut off, also what
     * clients have written and not committed.
     */
    public long cuts() {
        return attributes.isFile() ? nameChanges : 0;
    }

    public Inode withAttributes(Attributes changed) {
        return new Inode(
                changed,
                parentIno,
                nameCookie,
                policy,
                layout,
                inline,
                entryCount,
                exclusiveVerifier,
                nameChanges);
    }

    public Inode withContents(@Nullable Layout newLayout, byte @Nullable [] newInline) {
        return new Inode(
                attributes,
                parentIno,
                nameCookie,
                policy,
                newLayout,
                newInline,
                entryCount,
                exclusiveVerifier,
                nameChanges);
    }

    /** The state of a directory for a reply. */
    public DirectoryState directoryState() {
        return new DirectoryState(attributes, nameChanges, entryCount);
    }
}
