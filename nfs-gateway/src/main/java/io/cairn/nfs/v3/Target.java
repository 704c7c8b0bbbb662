package io.cairn.nfs.v3;

import io.cairn.cluster.PastInode;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileType;
import io.cairn.nfs.export.ClientRule;
import io.cairn.nfs.export.Export;

/**
 * The inode of a handle in a call, for its caller. Immutable.
 *
 * @param export the export through which the inode is seen
 * @param rule what the client may do there
 * @param caller the user, squashed as the rule says
 * @param ino the inode
 */
record Target(Export export, ClientRule rule, Caller caller, long ino) {
    /** ROFS unless the client may change things; always in a snapshot. */
    void requireWritable() {
        if (rule.readOnly()) {
            throw new NfsException(NfsStatus.ROFS);
        }
        PastInode.requireLiving(ino);
    }

    /**
     * The same user without checks: for what the owner of an open file may do whatever its mode.
     */
    Caller trusted() {
        return new Caller(caller.uid(), caller.gid(), caller.groups(), true);
    }

    /** Whether the caller owns an inode. */
    boolean owns(Attributes inode) {
        return caller.uid() == inode.uid();
    }

    /** Whether a write by this caller takes setuid or setgid away. */
    boolean losesPrivilege(Attributes inode) {
        int both = 02010;
        return caller.uid() != 0
                && inode.type() == FileType.FILE
                && ((inode.mode() & 04000) != 0 || (inode.mode() & both) == both);
    }
}
