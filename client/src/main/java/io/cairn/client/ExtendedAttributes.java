package io.cairn.client;

import io.cairn.fs.Caller;
import io.cairn.fs.Errno;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FsException;
import io.cairn.wire.Mutation;
import io.cairn.wire.Query;
import io.cairn.wire.Reply;
import io.cairn.wire.TreeMutation;
import java.util.ArrayList;
import java.util.List;

/** Extended attributes, allowed by {@link Permissions}; not cached. Thread-safe; blocks. */
final class ExtendedAttributes {
    private final Mount mount;
    private final Tree tree;

    ExtendedAttributes(Mount mount, Tree tree) {
        this.mount = mount;
        this.tree = tree;
    }

    byte[] get(Caller caller, long ino, byte[] name) {
        Permissions.xattr(caller, tree.attributes(ino), name, Permissions.XattrUse.GET);
        return tree.ask(new Query.GetXattr(ino, name), Reply.BytesReply.class).bytes();
    }

    List<byte[]> list(Caller caller, long ino) {
        List<byte[]> names = new ArrayList<>();
        for (byte[] name : tree.ask(new Query.ListXattr(ino), Reply.NamesReply.class).names()) {
            if (Permissions.lists(caller, name)) {
                names.add(name);
            }
        }
        return names;
    }

    void set(Caller caller, TreeMutation.SetXattr set) {
        if (set.value().length > FileSystem.MAX_XATTR_BYTES) {
            throw new FsException(Errno.E2BIG, "value of " + set.value().length + " bytes");
        }
        Permissions.xattr(caller, tree.attributes(set.ino()), set.name(), Permissions.XattrUse.SET);
        change(set.ino(), set);
    }

    void remove(Caller caller, long ino, byte[] name) {
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
