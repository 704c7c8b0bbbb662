package io.cairn.client;

import io.cairn.client.ClientMetrics.Operation;
import io.cairn.client.tree.Tree;
import io.cairn.fs.AsyncChanges;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem.Created;
import io.cairn.fs.Name;
import io.cairn.wire.master.TreeMutation;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Changes that are begun, counted. Thread-safe. */
final class ClientChanges implements AsyncChanges {
    private final Tree tree;
    private final Creation creation;
    private final ClientMetrics metrics;

    ClientChanges(Tree tree, Creation creation, ClientMetrics metrics) {
        this.tree = tree;
        this.creation = creation;
        this.metrics = metrics;
    }

    @Override
    public @Nullable CompletableFuture<Created> create(
            Caller caller, long parentIno, Name name, int mode, int flags) {
        return metrics.beginIfPossible(
                Operation.CREATE, () -> creation.begin(caller, parentIno, name, mode, flags));
    }

    @Override
    public @Nullable CompletableFuture<Attributes> setAttributes(
            Caller caller, long ino, AttributeChange change) {
        return metrics.beginIfPossible(
                Operation.SETATTR, () -> tree.beginSetAttributes(caller, ino, change));
    }

    @Override
    public CompletableFuture<Attributes> mkdir(Caller caller, long parentIno, Name name, int mode) {
        return metrics.begin(
                Operation.MKDIR,
                () ->
                        tree.changes()
                                .mkdir(caller, parentIno, name, mode)
                                .thenApply(made -> tree.shown(made.inode().attributes())));
    }

    @Override
    public CompletableFuture<Void> unlink(Caller caller, long parentIno, Name name) {
        return metrics.begin(
                Operation.UNLINK, () -> tree.changes().remove(caller, parentIno, name, false));
    }

    @Override
    public CompletableFuture<Void> rmdir(Caller caller, long parentIno, Name name) {
        return metrics.begin(
                Operation.RMDIR, () -> tree.changes().remove(caller, parentIno, name, true));
    }

    @Override
    public CompletableFuture<Void> rename(
            Caller caller, long parentIno, Name name, long newParentIno, Name newName, int flags) {
        TreeMutation.Rename rename =
                new TreeMutation.Rename(
                        parentIno, name, newParentIno, newName, flags, caller.uid(), caller.gid());
        return metrics.begin(
                Operation.RENAME, () -> nothing(tree.changes().rename(caller, rename)));
    }

    private static CompletableFuture<Void> nothing(CompletableFuture<?> change) {
        return change.thenAccept(_ -> {});
    }
}
