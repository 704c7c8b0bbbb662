package io.cairn.metadata.snapshot;

import io.cairn.fs.Name;
import io.cairn.metadata.state.Moment;

/**
 * Makes clones of files, which share objects with them. Like snapshots they need chunk servers that
 * refuse changes of the objects that exist. On the apply thread.
 */
public interface Cloning {
    /**
     * Checks all that a clone needs, and changes nothing.
     *
     * @param source a regular file
     * @param moment when the source was what is cloned; of a snapshot that is live, or now
     * @param parent the directory of the clone
     * @param name a name that is free there
     * @throws io.cairn.base.FsException EISDIR, EINVAL, EEXIST, ENOTDIR, ESTALE, ENOENT, EROFS,
     *     EDQUOT, EMLINK, E2BIG, ENOSPC; EAGAIN when the moment is not stored yet
     */
    Clone prepare(long source, Moment moment, long parent, Name name);

    /** Objects with smaller numbers must not be changed because files share some; or 0. */
    long firstOid();

    /** From now on objects with smaller numbers must not be changed, if any are shared. */
    void fence(long oid);

    /** Whether no objects are shared any more, and {@link #firstOid} still keeps them. */
    boolean isIdle();

    /** Forgets the number above when no objects are shared any more. */
    void lower();

    /** A clone that can be made. */
    interface Clone {
        /** Whether objects would be shared; else the contents are in the inode. */
        boolean sharesObjects();

        /** Makes it. */
        void make();
    }
}
