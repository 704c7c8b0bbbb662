package io.cairn.client;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.ClientMetrics.Operation;
import io.cairn.client.cache.MetadataCache;
import io.cairn.client.chunk.BufferPool;
import io.cairn.client.chunk.FilePlacement;
import io.cairn.client.chunk.PlacementSearch;
import io.cairn.client.file.Mount;
import io.cairn.client.file.OpenInode;
import io.cairn.client.file.OpenInodes;
import io.cairn.client.lock.FileLocks;
import io.cairn.client.session.ClientRuntime;
import io.cairn.client.session.ClientSettings;
import io.cairn.client.session.MasterChannel;
import io.cairn.client.tree.AccessTimes;
import io.cairn.client.tree.ClusterFacts;
import io.cairn.client.tree.FileContents;
import io.cairn.client.tree.NewFile;
import io.cairn.client.tree.Permissions;
import io.cairn.client.tree.Tree;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Policy;
import io.cairn.fs.AsyncChanges;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.DirectoryPage;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.HostLocks;
import io.cairn.fs.Lock;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.fs.Usage;
import io.cairn.net.Transport;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import io.cairn.wire.master.TreeMutation;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The client of a Cairn cluster: one session with the master, connections to the chunk servers,
 * caches and buffers of one mount. Thread-safe; every call blocks for a bounded time.
 *
 * <p>Its promises: every reader of the same mount sees a write at once. Every later open anywhere
 * sees the bytes of a closed file. An fsync means stable media on all replicas. Namespace
 * operations are atomic and done exactly once. Attributes and names may be a TTL old.
 *
 * <p>Never call it on an event loop or a scheduler thread: the answers arrive there.
 */
public final class CairnFileSystem implements FileSystem {
    private static final long CLOSE_TIMEOUT_MS = 10_000;

    private final Mount mount;
    private final MetadataCache cache;
    private final FileLocks locks;
    private final MachineLocks machines;
    private final LockOrder order;
    private final OpenInodes open;
    private final AccessTimes accessTimes;
    private final FileContents contents;
    private final Tree tree;
    private final Creation creation;
    private final ClientChanges changes;
    private final ClientMetrics metrics;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final ClusterFacts facts;

    CairnFileSystem(Mount mount, MeterRegistry registry) {
        this.mount = mount;
        ClientRuntime runtime = mount.runtime();
        this.cache = mount.cache();
        this.locks = new FileLocks(mount.master(), runtime.scheduler());
        this.open = new OpenInodes(mount, locks);
        mount.master().young().committedBy(open::committed);
        this.order = new LockOrder(mount, open);
        this.machines = new MachineLocks(mount, order);
        this.accessTimes = new AccessTimes(mount.master(), runtime, cache);
        this.facts = new ClusterFacts(mount);
        this.contents = new FileContents(mount, ino -> new FileMover(this).makeWhole(ino));
        this.tree = new Tree(mount, cache, open, accessTimes, contents);
        this.creation = new Creation(this, mount, open);
        this.metrics = new ClientMetrics(registry, runtime.clock(), runtime.tracer());
        this.changes = new ClientChanges(tree, creation, metrics);
        registry.gauge("cairn.client.buffer.used.bytes", mount.pool(), BufferPool::usedBytes);
        registry.gauge("cairn.client.buffer.limit.bytes", mount.pool(), BufferPool::limitBytes);
        registry.gauge("cairn.client.open.files", open, OpenInodes::size);
    }

    /**
     * Connects without metrics; see the other method.
     *
     * @throws FsException as the other method
     */
    public static CairnFileSystem connect(
            ClientSettings settings,
            Transport transport,
            Clock clock,
            Scheduler scheduler,
            RandomGenerator random) {
        return connect(
                settings,
                transport,
                new ClientRuntime(clock, scheduler, random),
                new CompositeMeterRegistry());
    }

    /**
     * Finds the leading master and opens a session.
     *
     * @param transport stays the caller's: closing the filesystem does not close it
     * @throws FsException ETIMEDOUT when no master answered in time; the message names the masters,
     *     the time and the last error
     */
    public static CairnFileSystem connect(
            ClientSettings settings,
            Transport transport,
            ClientRuntime runtime,
            MeterRegistry registry) {
        return new MountBuilder(settings, transport, runtime).connect(registry);
    }

    // ---- names

    @Override
    public Attributes lookup(Caller caller, long parentIno, Name name) {
        return metrics.time(
                Operation.LOOKUP, parentIno, () -> tree.lookup(caller, parentIno, name));
    }

    @Override
    public long parent(long directoryIno) {
        return metrics.time(Operation.LOOKUP, directoryIno, () -> tree.parent(directoryIno));
    }

    @Override
    public Attributes getAttributes(Caller caller, long ino) {
        return metrics.time(Operation.GETATTR, ino, () -> tree.attributes(ino));
    }

    @Override
    public Attributes freshAttributes(Caller caller, long ino) {
        return metrics.time(Operation.GETATTR, ino, () -> tree.freshAttributes(ino));
    }

    @Override
    public Attributes setAttributes(Caller caller, long ino, AttributeChange change) {
        return metrics.time(Operation.SETATTR, ino, () -> tree.setAttributes(caller, ino, change));
    }

    @Override
    public void access(Caller caller, long ino, int accessBits) {
        metrics.run(
                Operation.ACCESS,
                ino,
                () -> Permissions.require(caller, tree.attributes(ino), accessBits));
    }

    @Override
    public Attributes mkdir(Caller caller, long parentIno, Name name, int mode) {
        return metrics.time(
                Operation.MKDIR, parentIno, () -> tree.mkdir(caller, parentIno, name, mode));
    }

    @Override
    public Attributes mknod(
            Caller caller, long parentIno, Name name, FileType type, int mode, long rdev) {
        NewFile file = NewFile.node(type, mode, rdev);
        return metrics.time(
                Operation.MKNOD,
                parentIno,
                () -> tree.make(caller, parentIno, name, file).inode().attributes());
    }

    @Override
    public Attributes symlink(Caller caller, long parentIno, Name name, byte[] target) {
        return metrics.time(
                Operation.SYMLINK, parentIno, () -> tree.symlink(caller, parentIno, name, target));
    }

    @Override
    public byte[] readlink(Caller caller, long ino) {
        return metrics.time(Operation.READLINK, ino, () -> tree.readlink(ino));
    }

    @Override
    public Attributes link(Caller caller, long ino, long newParentIno, Name newName) {
        return metrics.time(
                Operation.LINK, ino, () -> tree.link(caller, ino, newParentIno, newName));
    }

    @Override
    public void unlink(Caller caller, long parentIno, Name name) {
        metrics.run(Operation.UNLINK, parentIno, () -> tree.remove(caller, parentIno, name, false));
    }

    @Override
    public void rmdir(Caller caller, long parentIno, Name name) {
        metrics.run(Operation.RMDIR, parentIno, () -> tree.remove(caller, parentIno, name, true));
    }

    @Override
    public void rename(
            Caller caller, long parentIno, Name name, long newParentIno, Name newName, int flags) {
        TreeMutation.Rename rename =
                new TreeMutation.Rename(
                        parentIno, name, newParentIno, newName, flags, caller.uid(), caller.gid());
        metrics.run(Operation.RENAME, parentIno, () -> tree.rename(caller, rename));
    }

    @Override
    public DirectoryPage readDirectory(
            Caller caller, long ino, long cookie, int maxEntries, boolean withAttributes) {
        return metrics.time(
                Operation.READDIR,
                ino,
                () -> tree.readDirectory(caller, ino, cookie, maxEntries, withAttributes));
    }

    @Override
    public byte[] getXattr(Caller caller, long ino, byte[] name) {
        return metrics.time(Operation.GETXATTR, ino, () -> tree.xattrs().get(caller, ino, name));
    }

    @Override
    public List<byte[]> listXattr(Caller caller, long ino) {
        return metrics.time(Operation.LISTXATTR, ino, () -> tree.xattrs().list(caller, ino));
    }

    @Override
    public void setXattr(Caller caller, long ino, byte[] name, byte[] value, int flags) {
        metrics.run(
                Operation.SETXATTR, ino, () -> tree.xattrs().set(caller, ino, name, value, flags));
    }

    @Override
    public void removeXattr(Caller caller, long ino, byte[] name) {
        metrics.run(Operation.REMOVEXATTR, ino, () -> tree.xattrs().remove(caller, ino, name));
    }

    @Override
    public Usage usage() {
        Usage known = facts.knownUsage();
        return known != null ? known : metrics.time(Operation.STATFS, ROOT_INO, facts::usage);
    }

    @Override
    public Usage usage(long ino) {
        return metrics.time(Operation.STATFS, ino, () -> facts.usage(ino));
    }

    // ---- files

    @Override
    public Created create(Caller caller, long parentIno, Name name, int mode, int flags) {
        return metrics.time(
                Operation.CREATE,
                parentIno,
                () -> creation.create(caller, parentIno, name, mode, flags));
    }

    @Override
    public Created createUnnamed(Caller caller, long parentIno, int mode, int flags) {
        return metrics.time(
                Operation.CREATE,
                parentIno,
                () -> creation.createUnnamed(caller, parentIno, mode, flags));
    }

    /** Names may be taken away before the masters know it: see {@link #syncDirectory}. */
    public void answerEarly() {
        tree.changes().answerEarly();
    }

    @Override
    public void syncDirectory(long ino) {
        metrics.run(Operation.FSYNC, ino, () -> tree.changes().sync(ino));
    }

    @Override
    public @Nullable AsyncChanges async(Caller caller) {
        return caller.checked() ? changes : null;
    }

    @Override
    public void keepRemoved() {
        mount.removed().keep();
    }

    @Override
    public void forgotten(long ino) {
        mount.removed().forgotten(ino);
    }

    @Override
    public Attributes createExclusive(
            Caller caller, long parentIno, Name name, int mode, long verifier) {
        return metrics.time(
                Operation.CREATE,
                parentIno,
                () -> tree.makeExclusive(caller, parentIno, name, mode, verifier));
    }

    @Override
    public OpenFile open(Caller caller, long ino, int flags) {
        return metrics.time(Operation.OPEN, ino, () -> openInode(caller, ino, flags));
    }

    /** As {@link #open}, not counted. */
    ClientFile openInode(Caller caller, long ino, int flags) {
        mount.master().session().checkRoomToOpen();
        Inode inode = tree.open(ino);
        Attributes found = inode.attributes();
        if (!found.isFile()) {
            mount.master().release(ino);
            throw switch (found.type()) {
                case DIRECTORY -> new FsException(Errno.EISDIR);
                case SYMLINK -> new FsException(Errno.ELOOP, "a symbolic link");
                default -> new FsException(Errno.ENXIO, "not a regular file");
            };
        }
        OpenInode state = open.opened(inode);
        try {
            Permissions.open(caller, found, flags);
            if ((flags & O_TRUNC) != 0) {
                AttributeChange cut = AttributeChange.NONE.withSize(0);
                if (Permissions.losesPrivilege(caller, found)) {
                    cut = cut.withBits(AttributeChange.KILL_PRIVILEGE);
                }
                tree.absorb(contents.resize(caller, state, cut));
            }
            return new ClientFile(this, state, caller, flags);
        } catch (FsException e) {
            open.closed(state);
            throw e;
        }
    }

    // ---- for operators

    /**
     * Where a file lives: the inode and the replicas of its first chunks, each asked how far it is.
     *
     * @param maxChunks how many chunks to ask about, 0 or more
     */
    public FilePlacement placement(long ino, int maxChunks) {
        return new PlacementSearch(mount.chunks(), mount.timeoutMs())
                .describe(tree.inode(ino), maxChunks);
    }

    /** The most copies that new contents can get with the chunk servers that there are. */
    public int mostCopies() {
        return new PlacementSearch(mount.chunks(), mount.timeoutMs()).mostCopies();
    }

    /** The policy of a file or directory. */
    public Policy policy(long ino) {
        return metrics.time(Operation.GETATTR, ino, () -> tree.inode(ino).policy());
    }

    /**
     * Sets the policy of a directory for what is made in it later, or of a file, whose contents
     * move to where the new policy wants them; that may take long.
     *
     * @param parentIno a directory, best the file's, in which a copy may have a name for a moment
     * @throws FsException EPERM unless the caller owns it; EBUSY when it is written all the time
     */
    public void setPolicy(Caller caller, long parentIno, long ino, Policy policy) {
        metrics.run(
                Operation.SETATTR,
                ino,
                () -> {
                    FileMover.require(caller, tree.attributes(ino));
                    new FileMover(this).setPolicy(parentIno, ino, policy);
                });
    }

    @Override
    public byte[] path(long ino) {
        return metrics.time(Operation.LOOKUP, ino, () -> facts.path(ino));
    }

    /** The state of the leading master, a JSON document. */
    public String statusJson() {
        return metrics.time(Operation.STATFS, ROOT_INO, facts::status);
    }

    public Mount mount() {
        return mount;
    }

    ClientMetrics metrics() {
        return metrics;
    }

    Tree tree() {
        return tree;
    }

    FileContents contents() {
        return contents;
    }

    Attributes attributesOf(OpenInode state) {
        if (!state.isFresh()) {
            tree.inode(state.ino());
        }
        return accessTimes.over(state.attributes());
    }

    /** As {@link OpenFile#changedByOthers}. */
    long changedByOthers(OpenInode state) {
        if (!state.isFresh()) {
            tree.inode(state.ino());
        }
        return state.foreignVersion();
    }

    void accessed(OpenInode state) {
        accessTimes.accessed(accessTimes.over(state.attributes()));
    }

    /** A write by anybody but root takes setuid and setgid away. */
    void beforeWrite(OpenInode state, Caller caller) {
        if (Permissions.losesPrivilege(caller, state.inode().attributes())) {
            AttributeChange kill = AttributeChange.NONE.withBits(AttributeChange.KILL_PRIVILEGE);
            tree.change(caller, new TreeMutation.SetAttributes(state.ino(), kill));
        }
    }

    /** Before a write up to an offset: a file beyond the inline limit needs a pool. */
    void ensureStorage(OpenInode state, long end) {
        if (state.growth().outgrowsInode(end)) {
            contents.ensureStorage(state);
        }
    }

    void closed(ClientFile file) {
        open.closed(file.state());
    }

    // ---- locks

    @Override
    public @Nullable Lock testLock(long ino, Lock wanted) {
        return metrics.time(Operation.LOCK, ino, () -> new Found(locks.test(ino, wanted))).lock;
    }

    private record Found(@Nullable Lock lock) {}

    @Override
    public void setLock(long ino, Lock lock, long waitMs) {
        metrics.run(Operation.LOCK, ino, () -> order.set(locks, ino, lock, waitMs));
    }

    @Override
    public void releaseLocks(long ino, Lock.Kind kind, long owner) {
        if (locks.mayHold(ino, kind, owner)) {
            metrics.run(
                    Operation.LOCK,
                    ino,
                    () -> {
                        order.commit(ino);
                        locks.release(ino, kind, owner);
                    });
        }
    }

    @Override
    public HostLocks hostLocks() {
        return machines;
    }

    /** Hears the pushes of the master; never blocks. */
    MasterChannel.Listener listener() {
        return new MountEvents(mount, open, locks, machines);
    }

    /**
     * Commits what is buffered, ends the session (which releases locks and open files) and the
     * connections; at most 10 s. Data that could not be stored in that time is lost, as its writers
     * have not closed their files.
     */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            new MountEnding(mount, accessTimes, CLOSE_TIMEOUT_MS).run();
        }
    }
}
