package io.cairn.client.tree;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.file.Mount;
import io.cairn.client.session.Await;
import io.cairn.fs.Acl;
import io.cairn.fs.Acls;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Extended attributes, allowed by {@link Permissions}; not cached. Thread-safe; blocks. */
public final class ExtendedAttributes {
    private static final byte[] ACCESS = Acl.ACCESS_ATTRIBUTE.getBytes(StandardCharsets.US_ASCII);
    private static final byte[] DEFAULT = Acl.DEFAULT_ATTRIBUTE.getBytes(StandardCharsets.US_ASCII);

    private final Mount mount;
    private final Tree tree;

    ExtendedAttributes(Mount mount, Tree tree) {
        this.mount = mount;
        this.tree = tree;
    }

    public byte[] get(Caller caller, long ino, byte[] name) {
        Permissions.xattr(caller, tree.attributes(ino), name, Permissions.XattrUse.GET);
        if (Permissions.isAcl(name)) {
            return acl(tree.attributes(ino), name);
        }
        return tree.ask(new Query.GetXattr(ino, name), Reply.BytesReply.class).bytes();
    }

    private static byte[] acl(Attributes inode, byte[] name) {
        Acls acls = inode.acls();
        Acl acl = Arrays.equals(name, ACCESS) ? acls.access() : acls.inherited();
        if (acl == null) {
            throw new FsException(Errno.ENODATA);
        }
        return acl.toBytes();
    }

    public List<byte[]> list(Caller caller, long ino) {
        List<byte[]> names = new ArrayList<>();
        Acls acls = tree.attributes(ino).acls();
        if (acls.access() != null) {
            names.add(ACCESS.clone());
        }
        if (acls.inherited() != null) {
            names.add(DEFAULT.clone());
        }
        for (byte[] name : tree.ask(new Query.ListXattr(ino), Reply.NamesReply.class).names()) {
            if (Permissions.lists(caller, name)) {
                names.add(name);
            }
        }
        return names;
    }

    public void set(Caller caller, long ino, byte[] name, byte[] value, int flags) {
        if (value.length > FileSystem.MAX_XATTR_BYTES) {
            throw new FsException(Errno.E2BIG, "value of " + value.length + " bytes");
        }
        Attributes inode = tree.attributes(ino);
        Permissions.xattr(caller, inode, name, Permissions.XattrUse.SET);
        if (Arrays.equals(name, ACCESS) && Permissions.losesSetgid(caller, inode)) {
            AttributeChange mode = AttributeChange.NONE.withMode(inode.mode());
            tree.setAttributes(caller, ino, mode);
        }
        change(ino, new TreeMutation.SetXattr(ino, name, value, flags));
    }

    public void remove(Caller caller, long ino, byte[] name) {
        Permissions.xattr(caller, tree.attributes(ino), name, Permissions.XattrUse.SET);
        change(ino, new TreeMutation.RemoveXattr(ino, name));
    }

    /** The reply may tell the inode's new attributes or not. */
    private void change(long ino, Mutation mutation) {
        Reply reply = mount.master().change(mutation);
        if (reply instanceof Reply.EntryReply entry) {
            tree.absorb(entry);
        } else {
            Await.expect(reply, Reply.Done.class);
            mount.cache().forgetAttributes(ino);
        }
    }
}
