package io.cairn.fuse.loop;

import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fuse.sys.ProcessStatus;
import io.cairn.runtime.PollLoop;

/** Shared by the operations of one mount, whichever driver brings them. Thread-safe. */
public final class MountState {
    private final FileSystem fileSystem;
    private final long rootIno;
    private final MountOptions options;
    private final PollLoop polled;
    private final LockWaits waits;
    private final OpenFiles files;
    private final ReplacedFiles replaced;
    private final HandleTable<DirectoryCursor> directories = new HandleTable<>();
    private final KernelView view = new KernelView(System::nanoTime);
    private final SlowRequests slow;
    private final CapabilityMemory capabilities = new CapabilityMemory(System::nanoTime);

    /**
     * Of a mount that serves nobody yet.
     *
     * @param polled run by the threads of the mount
     */
    public MountState(FileSystem fileSystem, long rootIno, MountOptions options, PollLoop polled) {
        this.fileSystem = fileSystem;
        this.rootIno = rootIno;
        this.options = options;
        this.polled = polled;
        this.waits = new LockWaits(fileSystem);
        this.files = new OpenFiles(fileSystem, waits);
        this.slow = new SlowRequests(fileSystem, System::nanoTime);
        this.replaced = new ReplacedFiles(fileSystem, files);
    }

    /** The caller of the request has set the access list of an inode. */
    public void dropSetgid(LoopThread thread, long ino) {
        Caller caller = thread.caller();
        Attributes inode = fileSystem.getAttributes(caller, ino);
        if (ProcessStatus.losesSetgid(caller, thread.process(), inode)) {
            AttributeChange change = AttributeChange.NONE.withMode(inode.mode() & 05777);
            fileSystem.setAttributes(caller, ino, change);
        }
    }

    public FileSystem fileSystem() {
        return fileSystem;
    }

    /** The directory that is the root of the mount. */
    public long rootIno() {
        return rootIno;
    }

    public MountOptions options() {
        return options;
    }

    /** The loop that the threads of the mount run between requests. */
    public PollLoop polled() {
        return polled;
    }

    public LockWaits waits() {
        return waits;
    }

    public OpenFiles files() {
        return files;
    }

    public HandleTable<DirectoryCursor> directories() {
        return directories;
    }

    public ReplacedFiles replaced() {
        return replaced;
    }

    public KernelView view() {
        return view;
    }

    /** The slowest requests of the last minutes. */
    public SlowRequests slow() {
        return slow;
    }

    public CapabilityMemory capabilities() {
        return capabilities;
    }
}
