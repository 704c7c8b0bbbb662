package io.cairn.metadata.tree;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.metadata.content.ContentClone;
import io.cairn.metadata.content.SharedObjects;
import io.cairn.metadata.inode.InodeDraft;
import io.cairn.metadata.inode.InodeTable;
import io.cairn.metadata.snapshot.Cloning;
import io.cairn.metadata.state.Moment;
import io.cairn.metadata.state.Transaction;
import io.cairn.metadata.state.View;
import io.cairn.metadata.trash.TrashBin;

/**
 * Makes a new file with the attributes, extended attributes and contents of another one, or of one
 * in a snapshot. It is charged to its directory and owner in full. Belongs to the apply thread.
 */
public final class FileClone implements Cloning {
    private final Transaction transaction;
    private final InodeTable inodes;
    private final NameOperations names;
    private final ContentClone contents;
    private final SharedObjects shared;

    public FileClone(
            Transaction transaction,
            InodeTable inodes,
            NameOperations names,
            ContentClone contents,
            SharedObjects shared) {
        this.transaction = transaction;
        this.inodes = inodes;
        this.names = names;
        this.contents = contents;
        this.shared = shared;
    }

    @Override
    public Clone prepare(long sourceIno, Moment moment, long parentIno, Name name) {
        View past = moment.equals(Moment.NOW) ? null : transaction.at(moment);
        Inode source = past == null ? inodes.file(sourceIno) : InodeTable.file(past, sourceIno);
        if (source.attributes().nlink() == 0) {
            throw new FsException(Errno.ENOENT, "inode " + sourceIno + " has lost its last name");
        }
        if (TrashBin.isTrashed(source)) {
            throw new FsException(
                    Errno.ENOENT, "inode " + sourceIno + " is in the trash: restore it first");
        }
        Inode parent = names.parent(parentIno, name);
        contents.require(source);
        transaction.counters().requireRoom();
        InodeDraft draft = like(source);
        draft.sizeBytes = source.attributes().size();
        draft.usedBytes = source.attributes().usedBytes();
        draft.layout = source.layout();
        names.requireRoom(parent, draft);
        return new Clone() {
            @Override
            public boolean sharesObjects() {
                return ContentClone.isShared(source);
            }

            @Override
            public void make() {
                contents.fill(draft, source, past != null);
                names.enter(parent, name, draft);
                if (past == null) {
                    inodes.copyXattrs(sourceIno, draft.ino);
                } else {
                    inodes.copyXattrs(past, sourceIno, draft.ino);
                }
            }
        };
    }

    private InodeDraft like(Inode source) {
        Attributes model = source.attributes();
        InodeDraft draft =
                new InodeDraft(
                        transaction.counters().takeIno(), FileType.FILE, transaction.nowNs());
        draft.uid = model.uid();
        draft.gid = model.gid();
        draft.takeRights(model);
        draft.atimeNs = model.atimeNs();
        draft.mtimeNs = model.mtimeNs();
        draft.policy = source.policy();
        return draft;
    }

    @Override
    public long firstOid() {
        return shared.firstOid();
    }

    @Override
    public void fence(long oid) {
        shared.fence(oid);
    }

    @Override
    public boolean isIdle() {
        return shared.isIdle();
    }

    @Override
    public void lower() {
        shared.lower();
    }
}
