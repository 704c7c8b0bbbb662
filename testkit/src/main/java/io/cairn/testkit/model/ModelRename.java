package io.cairn.testkit.model;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import org.jspecify.annotations.Nullable;

/** One rename of the model, with the checks in the order of Linux. */
final class ModelRename {
    /** A name in a directory. */
    record Place(ModelNode directory, Name name) {
        @Nullable ModelNode child() {
            return directory.children.get(ModelNode.Key.of(name));
        }
    }

    private final ModelTree tree;
    private final Caller caller;
    private final boolean noReplace;
    private final boolean exchange;
    private final boolean whiteout;

    ModelRename(ModelTree tree, Caller caller, int flags) {
        this.tree = tree;
        this.caller = caller;
        this.noReplace = (flags & FileSystem.RENAME_NOREPLACE) != 0;
        this.exchange = (flags & FileSystem.RENAME_EXCHANGE) != 0;
        this.whiteout = (flags & FileSystem.RENAME_WHITEOUT) != 0;
        if ((flags & ~7) != 0 || (exchange && flags != FileSystem.RENAME_EXCHANGE)) {
            throw new FsException(Errno.EINVAL, "rename flags " + flags);
        }
    }

    void run(Place from, Place to) {
        ModelPermissions.require(caller, from.directory, FileSystem.ACCESS_EXECUTE);
        ModelPermissions.require(caller, to.directory, FileSystem.ACCESS_EXECUTE);
        ModelNode source = tree.child(from.directory, from.name);
        ModelNode target = to.child();
        if (noReplace && target != null) {
            throw new FsException(Errno.EEXIST, to.name + " exists");
        }
        if (exchange && target == null) {
            throw new FsException(Errno.ENOENT, to.name + " does not exist");
        }
        requireNoLoop(from, to, source, target);
        if (source == target) {
            return;
        }
        requirePermission(from, to, source, target);
        if (exchange && target != null) {
            exchange(from, to, source, target);
        } else {
            move(from, to, source, target);
        }
    }

    private void requireNoLoop(Place from, Place to, ModelNode source, @Nullable ModelNode target) {
        if (source.isDirectory() && source.isAbove(to.directory)) {
            throw new FsException(Errno.EINVAL, from.name + " into its own subtree");
        }
        if (target != null && target.isDirectory() && target.isAbove(from.directory)) {
            throw new FsException(
                    exchange ? Errno.EINVAL : Errno.ENOTEMPTY, to.name + " holds " + from.name);
        }
    }

    private void requirePermission(
            Place from, Place to, ModelNode source, @Nullable ModelNode target) {
        ModelPermissions.requireRemove(caller, from.directory, source);
        if (target == null) {
            if (to.directory.nlink == 0) {
                throw new FsException(Errno.ENOENT, "the directory has been removed");
            }
            ModelPermissions.requireAdd(caller, to.directory);
        } else {
            ModelPermissions.requireRemove(caller, to.directory, target);
            requireSameKind(source, target);
        }
        boolean moves = from.directory != to.directory;
        if (moves && source.isDirectory()) {
            ModelPermissions.require(caller, source, FileSystem.ACCESS_WRITE);
        }
        if (moves && exchange && target != null && target.isDirectory()) {
            ModelPermissions.require(caller, target, FileSystem.ACCESS_WRITE);
        }
        if (!exchange && target != null && target.isDirectory()) {
            ModelTree.requireEmptyDirectory(target);
        }
    }

    private void requireSameKind(ModelNode source, ModelNode target) {
        if (exchange || source.isDirectory() == target.isDirectory()) {
            return;
        }
        throw new FsException(
                source.isDirectory() ? Errno.ENOTDIR : Errno.EISDIR,
                "a directory and something else cannot replace each other");
    }

    private void move(Place from, Place to, ModelNode source, @Nullable ModelNode target) {
        if (target != null) {
            tree.detach(to.directory, to.name);
            if (target.isDirectory()) {
                tree.dropDirectory(to.directory, target);
            } else {
                tree.dropLink(target);
            }
        }
        tree.detach(from.directory, from.name);
        tree.attach(to.directory, to.name, source);
        adopt(from.directory, to.directory, source);
        if (whiteout) {
            tree.add(caller, from.directory, from.name, FileType.CHARACTER_DEVICE, 0);
        }
    }

    private void exchange(Place from, Place to, ModelNode source, ModelNode target) {
        tree.detach(from.directory, from.name);
        tree.detach(to.directory, to.name);
        tree.attach(to.directory, to.name, source);
        tree.attach(from.directory, from.name, target);
        adopt(from.directory, to.directory, source);
        adopt(to.directory, from.directory, target);
    }

    private static void adopt(ModelNode from, ModelNode to, ModelNode moved) {
        if (moved.isDirectory()) {
            from.nlink--;
            to.nlink++;
            moved.parent = to;
        }
    }
}
