package io.cairn.cluster;

import io.cairn.fs.Attributes;

/**
 * The state of a directory in a reply that is about another inode.
 *
 * @param attributes what stat tells
 * @param nameChanges how many mutations have added, removed or replaced names in it since it was
 *     made: at equal counts it has equal names
 * @param entryCount number of entries
 */
public record DirectoryState(Attributes attributes, long nameChanges, long entryCount) {
    /** The inode number. */
    public long ino() {
        return attributes.ino();
    }
}
