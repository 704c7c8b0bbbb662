package io.cairn.client;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.cache.MetadataCache;
import io.cairn.client.file.Mount;
import io.cairn.client.file.OpenInode;
import io.cairn.client.file.OpenInodes;
import io.cairn.client.lock.FileLocks;
import io.cairn.client.session.MasterChannel;
import io.cairn.client.session.Promises;
import io.cairn.fs.Lock;
import io.cairn.wire.master.Push;
import io.cairn.wire.master.SessionMutation;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Pushes of the master to a mount. Called on event loops; never blocks. */
final class MountEvents implements MasterChannel.Listener {
    private final Mount mount;
    private final MetadataCache cache;
    private final OpenInodes open;
    private final FileLocks locks;
    private final MachineLocks machines;

    MountEvents(Mount mount, OpenInodes open, FileLocks locks, MachineLocks machines) {
        this.mount = mount;
        this.cache = mount.cache();
        this.open = open;
        this.locks = locks;
        this.machines = machines;
    }

    @Override
    public CompletableFuture<Void> push(Push push) {
        switch (push) {
            case Push.LockGranted granted -> {
                locks.granted(granted.requestId());
                machines.granted(granted.ino(), granted.requestId());
            }
            case Push.Invalidate invalidate -> invalidate(invalidate.ino());
            case Push.RecallLock recall -> recall(recall);
            case Push.Changed changed -> open.changed(changed.inode());
            case Push.HoldStill still -> {
                return open.holdStill(still.ino(), still.ms());
            }
            case Push.CommitFiles files -> {
                return open.commit(files.inos());
            }
            case Push.QuotasChanged changed ->
                    mount.master().session().quotasChanged(changed.quotas());
            case Push.MapChanged ignored -> {
                // The channel has told the cluster view already.
            }
            case Push.MastersChanged ignored -> {
                // The link has learned them already.
            }
            case Push.RecallNames recall -> {
                return mount.master().young().recall(recall.ino());
            }
            case Push.Revoked news -> mount.runtime().hearers().revoked().accept(news.serials());
            case Push.AuthoritiesChanged news ->
                    mount.runtime().hearers().authorities().accept(news.pem());
        }
        return Promises.DONE;
    }

    private void invalidate(long ino) {
        cache.forget(ino);
        OpenInode state = open.get(ino);
        if (state != null) {
            state.expire();
        }
    }

    private void recall(Push.RecallLock recall) {
        if (recall.kind() != Lock.Kind.APPEND) {
            return;
        }
        OpenInode state = open.get(recall.ino());
        if (state == null || !state.appends().recall(recall.owner())) {
            // The file is closed here and the token's release is lost or under way.
            Promises.whenDone(
                    mount.master()
                            .mutate(
                                    new SessionMutation.ReleaseLocks(
                                            recall.ino(), recall.kind(), recall.owner())),
                    (_, _) -> {});
        }
    }

    @Override
    public void connected() {
        cache.doubtNames();
        machines.interrupted();
        open.all().forEach(state -> state.doubts().begin());
    }

    @Override
    public void sessionLost() {
        cache.clear();
        machines.interrupted();
        Set<Long> locked = locks.sessionLost();
        FsException error =
                new FsException(Errno.EIO, "the session ended and with it the locks held");
        for (OpenInode inode : open.all()) {
            inode.sessionLost(locked.contains(inode.ino()), error);
        }
    }
}
