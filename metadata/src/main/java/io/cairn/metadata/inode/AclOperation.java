package io.cairn.metadata.inode;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.fs.Acl;
import io.cairn.fs.Acls;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.wire.master.TreeMutation.SetXattr;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The access control lists of inodes, in the form of the attributes under which Linux knows them.
 * They live in the inode, not among its other attributes. A client that knows an inode knows its
 * rights, and mode and list change in one step. Pure functions.
 */
public final class AclOperation {
    private AclOperation() {}

    /** Whether an attribute is an access control list. */
    public static boolean isAbout(byte[] name) {
        String text = text(name);
        return text.equals(Acl.ACCESS_ATTRIBUTE) || text.equals(Acl.DEFAULT_ATTRIBUTE);
    }

    private static String text(byte[] name) {
        return new String(name, StandardCharsets.ISO_8859_1);
    }

    /** The inode with a list set; an empty one removes it. */
    public static InodeDraft set(Inode inode, SetXattr m) {
        Acl acl = Acl.parse(m.value());
        InodeDraft draft = new InodeDraft(inode);
        boolean access = text(m.name()).equals(Acl.ACCESS_ATTRIBUTE);
        requirePlace(draft, access, acl);
        boolean exists = (access ? draft.acls.access() : draft.acls.inherited()) != null;
        if (exists && (m.flags() & FileSystem.XATTR_CREATE) != 0) {
            throw new FsException(Errno.EEXIST, "inode " + m.ino() + " has an ACL");
        }
        if (!exists && (m.flags() & FileSystem.XATTR_REPLACE) != 0) {
            throw new FsException(Errno.ENODATA, "inode " + m.ino() + " has no ACL");
        }
        if (access) {
            draft.setAccess(acl);
        } else {
            draft.acls = draft.acls.withInherited(acl);
        }
        return draft;
    }

    /** The inode without a list; no error when it has none, as Linux has it. */
    public static InodeDraft remove(Inode inode, byte[] name) {
        InodeDraft draft = new InodeDraft(inode);
        boolean access = text(name).equals(Acl.ACCESS_ATTRIBUTE);
        requirePlace(draft, access, null);
        draft.acls = access ? draft.acls.withAccess(null) : draft.acls.withInherited(null);
        return draft;
    }

    private static void requirePlace(InodeDraft draft, boolean access, @Nullable Acl acl) {
        if (draft.type == FileType.SYMLINK) {
            throw new FsException(Errno.EOPNOTSUPP, "a symbolic link has no ACL");
        }
        if (!access && acl != null && draft.type != FileType.DIRECTORY) {
            throw new FsException(Errno.EACCES, "only directories have ACLs to inherit");
        }
    }

    /** A new inode takes over what its directory passes on. */
    static void inherit(Acls parent, InodeDraft made) {
        Acl passed = parent.inherited();
        if (passed == null || made.type == FileType.SYMLINK) {
            return;
        }
        if (made.type == FileType.DIRECTORY) {
            made.acls = made.acls.withInherited(passed);
        }
        made.setAccess(passed.inherited(made.mode));
    }
}
