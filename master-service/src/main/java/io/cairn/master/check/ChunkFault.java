package io.cairn.master.check;

/**
 * Something that is wrong with the chunks of a cluster.
 *
 * @param ino the inode that needs them; 0 when none does
 * @param pool of the group
 * @param group where the chunk is, or should be; 0 when it is several
 * @param index of the chunk; -1 when it is several
 * @param target that lacks it; 0 when it is no matter of one
 * @param bytes in the chunk, or missing
 */
public record ChunkFault(
        Kind kind, long ino, int pool, int group, long oid, long index, int target, long bytes) {
    /** What is wrong. */
    public enum Kind {
        /** No file needs the chunk. */
        UNREFERENCED("unreferenced"),
        /** A serving member has no copy of it. */
        COPY_MISSING("copyMissing"),
        /** The chunks of a file cannot hold what the file has in use. */
        MISSING("missing"),
        /** The file that needs it looks for it in another group. */
        MISPLACED("misplaced");

        private final String title;

        Kind(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    /** The fault without what may differ from one look to the next. */
    ChunkFault identity() {
        return new ChunkFault(kind, ino, pool, group, oid, index, target, 0);
    }

    /** A sentence without an end; files are told as {@code inode N}. */
    public String text() {
        return switch (kind) {
            case UNREFERENCED ->
                    "chunk %d of object %d in group %d (%d bytes) belongs to no file"
                            .formatted(index, oid, group, bytes);
            case COPY_MISSING ->
                    "chunk %d of inode %d has no copy on target %d of group %d"
                            .formatted(index, ino, target, group);
            case MISSING ->
                    "inode %d has lost %d bytes at least: chunks of object %d are gone"
                            .formatted(ino, bytes, oid);
            case MISPLACED ->
                    "chunk %d of inode %d is in group %d, where nobody looks for it"
                            .formatted(index, ino, group);
        };
    }
}
