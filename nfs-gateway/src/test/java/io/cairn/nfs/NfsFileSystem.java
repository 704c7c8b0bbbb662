package io.cairn.nfs;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.PastInode;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.DirectoryPage;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Lock;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.fs.Usage;
import io.cairn.nfs.NfsClient.Handle;
import io.cairn.nfs.NfsClient.Node;
import io.cairn.nfs.lock.NlmClient;
import io.cairn.nfs.rpc.Credential;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A filesystem behind an NFS server, as a kernel makes one of it: what is checked at open is asked
 * with ACCESS, what a trusted caller does goes under his own credential. Remembers the handle of
 * every inode it has seen. Thread-safe.
 */
public final class NfsFileSystem implements FileSystem {
    private static final int MAX_TRIES = 8;

    private static final long ASK_AGAIN_NS = 10_000_000;

    private final NfsClient client;
    private final NlmClient locks;
    private final Map<Long, Handle> handles = new ConcurrentHashMap<>();
    private final SillyNames open = new SillyNames(this);

    /** Mounts the root of a server. */
    public NfsFileSystem(Endpoint server) {
        client = new NfsClient(server, Credential.sys(0, 0));
        locks = new NlmClient(server, "contract");
        Handle root = client.mount("/");
        handles.put(ROOT_INO, root);
    }

    SillyNames open() {
        return open;
    }

    Handle handle(long ino) {
        Handle handle = handles.get(ino);
        if (handle == null) {
            throw new FsException(Errno.ESTALE, "no handle of inode " + ino);
        }
        return handle;
    }

    private Attributes seen(Node node) {
        handles.put(node.attributes().ino(), node.handle());
        return node.attributes();
    }

    <T> T ask(Caller caller, Function<NfsClient, T> question) {
        try {
            return question.apply(client.as(caller));
        } catch (NfsError e) {
            throw new FsException(e.errno(), String.valueOf(e.getMessage()));
        }
    }

    private void tell(Caller caller, java.util.function.Consumer<NfsClient> order) {
        ask(
                caller,
                c -> {
                    order.accept(c);
                    return true;
                });
    }

    @Override
    public Attributes lookup(Caller caller, long parentIno, Name name) {
        return ask(caller, c -> seen(c.lookup(handle(parentIno), name.bytes())));
    }

    @Override
    public long parent(long directoryIno) {
        return ask(Caller.ROOT, c -> seen(c.lookup(handle(directoryIno), ".."))).ino();
    }

    @Override
    public Attributes getAttributes(Caller caller, long ino) {
        return ask(caller, c -> c.getattr(handle(ino)));
    }

    @Override
    public Attributes setAttributes(Caller caller, long ino, AttributeChange change) {
        boolean cuts = change.has(AttributeChange.SIZE) && !caller.checked();
        if (cuts && getAttributes(caller, ino).isFile()) { // a kernel looks at the type first
            access(caller, ino, ACCESS_WRITE);
        }
        return ask(caller, c -> c.setattr(handle(ino), change, -1));
    }

    @Override
    public void access(Caller caller, long ino, int accessBits) {
        boolean directory = getAttributes(caller, ino).isDirectory();
        int wanted = (accessBits & ACCESS_READ) != 0 ? 1 : 0;
        wanted |= (accessBits & ACCESS_WRITE) != 0 ? 4 : 0;
        wanted |= (accessBits & ACCESS_EXECUTE) == 0 ? 0 : directory ? 2 : 32;
        int bits = wanted;
        if (ask(caller, c -> c.access(handle(ino), bits)) != bits) {
            throw new FsException(Errno.EACCES);
        }
    }

    private static AttributeChange mode(int mode) {
        return AttributeChange.NONE.withMode(mode);
    }

    @Override
    public Attributes mkdir(Caller caller, long parentIno, Name name, int mode) {
        return ask(caller, c -> seen(c.make(handle(parentIno), name.bytes(), mode(mode), null)));
    }

    @Override
    public Attributes mknod(
            Caller caller, long parentIno, Name name, FileType type, int mode, long rdev) {
        if (type == FileType.FILE) {
            return ask(caller, c -> seen(c.create(handle(parentIno), latin(name), 1, mode(mode))));
        }
        return ask(
                caller,
                c -> seen(c.mknod(handle(parentIno), name.bytes(), type, mode(mode), rdev)));
    }

    private static String latin(Name name) {
        return new String(name.bytes(), java.nio.charset.StandardCharsets.ISO_8859_1);
    }

    @Override
    public Attributes symlink(Caller caller, long parentIno, Name name, byte[] target) {
        return ask(
                caller,
                c -> seen(c.make(handle(parentIno), name.bytes(), AttributeChange.NONE, target)));
    }

    @Override
    public byte[] readlink(Caller caller, long ino) {
        return ask(caller, c -> c.readlink(handle(ino)));
    }

    @Override
    public Attributes link(Caller caller, long ino, long newParentIno, Name newName) {
        return ask(caller, c -> c.link(handle(ino), handle(newParentIno), newName.bytes()));
    }

    @Override
    public void unlink(Caller caller, long parentIno, Name name) {
        String kept = open.keep(parentIno, name);
        try {
            tell(caller, c -> c.remove(handle(parentIno), name.bytes()));
        } catch (FsException e) {
            open.unkeep(kept);
            throw e;
        }
    }

    @Override
    public void rmdir(Caller caller, long parentIno, Name name) {
        tell(caller, c -> c.rmdir(handle(parentIno), name.bytes()));
    }

    @Override
    public void rename(
            Caller caller, long parentIno, Name name, long newParentIno, Name newName, int flags) {
        if (flags != 0) {
            throw new FsException(Errno.EINVAL, "NFS has no flags of rename");
        }
        String kept = open.keep(newParentIno, newName);
        try {
            tell(
                    caller,
                    c ->
                            c.rename(
                                    handle(parentIno),
                                    name.bytes(),
                                    handle(newParentIno),
                                    newName.bytes()));
        } catch (FsException e) {
            open.unkeep(kept);
            throw e;
        }
    }

    @Override
    public Created create(Caller caller, long parentIno, Name name, int mode, int flags) {
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            try {
                Attributes made = mknod(caller, parentIno, name, FileType.FILE, mode, 0);
                return new Created(made, new NfsOpenFile(this, caller, made.ino(), flags));
            } catch (FsException e) {
                if (e.errno() != Errno.EEXIST || (flags & O_EXCL) != 0) {
                    throw e;
                }
            }
            try {
                Attributes found = lookup(caller, parentIno, name);
                OpenFile file = open(caller, found.ino(), flags);
                return new Created(file.attributes(), file);
            } catch (FsException e) {
                if (e.errno() != Errno.ENOENT && e.errno() != Errno.ESTALE) {
                    throw e;
                }
            }
        }
        throw new FsException(Errno.EIO, name + " appears and disappears all the time");
    }

    @Override
    public Attributes createExclusive(
            Caller caller, long parentIno, Name name, int mode, long verifier) {
        return ask(caller, c -> seen(c.create(handle(parentIno), latin(name), verifier)));
    }

    @Override
    public OpenFile open(Caller caller, long ino, int flags) {
        Attributes found = getAttributes(caller, ino);
        switch (found.type()) {
            case FILE -> {}
            case DIRECTORY -> throw new FsException(Errno.EISDIR);
            case SYMLINK -> throw new FsException(Errno.ELOOP);
            default -> throw new FsException(Errno.ENXIO);
        }
        int access = flags & O_ACCMODE;
        int bits = access == O_WRONLY ? 0 : ACCESS_READ;
        if (access != O_RDONLY || (flags & O_TRUNC) != 0) {
            bits |= ACCESS_WRITE;
        }
        access(caller, ino, bits);
        if ((flags & O_TRUNC) != 0) {
            setAttributes(caller, ino, AttributeChange.NONE.withSize(0));
        }
        return new NfsOpenFile(this, caller, ino, flags);
    }

    @Override
    public DirectoryPage readDirectory(
            Caller caller, long ino, long cookie, int maxEntries, boolean withAttributes) {
        NfsClient.Page page =
                ask(caller, c -> c.readdirplus(handle(ino), cookie, 1 << 20, 64 << 10));
        List<DirectoryEntry> entries = new ArrayList<>();
        for (NfsClient.Entry entry : page.entries()) {
            String text = entry.text();
            if (text.equals(".") || text.equals("..")) {
                continue;
            }
            Node node = entry.node();
            Attributes attributes = node == null ? null : seen(node);
            entries.add(
                    new DirectoryEntry(
                            Name.of(entry.name()),
                            entry.cookie(),
                            entry.ino(),
                            attributes == null ? FileType.FILE : attributes.type(),
                            withAttributes ? attributes : null));
        }
        return new DirectoryPage(entries, page.end());
    }

    private static FsException notInNfs(String what) {
        return new FsException(Errno.EOPNOTSUPP, "NFS version 3 has no " + what);
    }

    @Override
    public byte[] getXattr(Caller caller, long ino, byte[] name) {
        throw notInNfs("extended attributes");
    }

    @Override
    public List<byte[]> listXattr(Caller caller, long ino) {
        throw notInNfs("extended attributes");
    }

    @Override
    public void setXattr(Caller caller, long ino, byte[] name, byte[] value, int flags) {
        throw notInNfs("extended attributes");
    }

    @Override
    public void removeXattr(Caller caller, long ino, byte[] name) {
        throw notInNfs("extended attributes");
    }

    @Override
    public Usage usage() {
        return usage(ROOT_INO);
    }

    @Override
    public Usage usage(long ino) {
        long[] n = ask(Caller.ROOT, c -> c.fsstat(handle(ino)));
        return new Usage(n[0], n[1], n[2], n[3] - n[4], n[4]);
    }

    @Override
    public @Nullable Lock testLock(long ino, Lock wanted) {
        NlmClient.Holder holder = locks.test(range(ino, wanted), isExclusive(wanted));
        if (holder == null) {
            return null;
        }
        long end = holder.length() == 0 ? Lock.TO_END : holder.offset() + holder.length() - 1;
        Lock.Mode mode = holder.exclusive() ? Lock.Mode.EXCLUSIVE : Lock.Mode.SHARED;
        return new Lock(wanted.kind(), mode, holder.svid(), holder.offset(), end, holder.svid());
    }

    private NlmClient.Range range(long ino, Lock lock) {
        if (lock.kind() != Lock.Kind.POSIX) {
            throw notInNfs("flock");
        }
        long length = lock.endByte() == Lock.TO_END ? 0 : lock.endByte() - lock.startByte() + 1;
        return new NlmClient.Range(
                handle(ino).bytes(), (int) lock.owner(), lock.startByte(), length);
    }

    private static boolean isExclusive(Lock lock) {
        return lock.mode() == Lock.Mode.EXCLUSIVE;
    }

    /** Waits by asking again, as clients do whose callbacks get lost. */
    @Override
    public void setLock(long ino, Lock lock, long waitMs) {
        NlmClient.Range range = range(ino, lock);
        if (lock.mode() == Lock.Mode.UNLOCK) {
            expectGranted(locks.unlock(range));
            return;
        }
        boolean exclusive = isExclusive(lock);
        if (waitMs == 0) {
            expectGranted(locks.lock(range, exclusive));
            return;
        }
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMs);
        int status = locks.block(range, exclusive);
        while (status == NlmClient.BLOCKED) {
            if (System.nanoTime() - deadlineNs > 0 || Thread.currentThread().isInterrupted()) {
                locks.cancel(range, exclusive);
                throw new FsException(Errno.EINTR, "the lock did not come in time");
            }
            LockSupport.parkNanos(ASK_AGAIN_NS);
            status = locks.block(range, exclusive);
        }
        expectGranted(status);
    }

    private static void expectGranted(int status) {
        switch (status) {
            case NlmClient.GRANTED -> {}
            case NlmClient.DENIED -> throw new FsException(Errno.EAGAIN, "locked");
            case NlmClient.DEADLOCK -> throw new FsException(Errno.EDEADLK, "deadlock");
            case NlmClient.STALE -> throw new FsException(Errno.ESTALE, "stale");
            default -> throw new FsException(Errno.ENOLCK, "lock status " + status);
        }
    }

    @Override
    public void releaseLocks(long ino, Lock.Kind kind, long owner) {
        boolean isLockable = handles.containsKey(ino) && !PastInode.isPast(ino);
        if (kind == Lock.Kind.POSIX && isLockable) {
            Lock all = new Lock(kind, Lock.Mode.UNLOCK, owner, 0, Lock.TO_END, 0);
            expectGranted(locks.unlock(range(ino, all)));
        }
    }

    @Override
    public void close() {
        locks.close();
        client.close();
    }
}
