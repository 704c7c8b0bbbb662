package io.cairn.cluster;

import io.cairn.fs.Attributes;

/**
 * What a reply tells of a directory that it is not itself about.
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
