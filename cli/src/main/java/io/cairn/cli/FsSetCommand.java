package io.cairn.cli;

import io.cairn.client.CairnFileSystem;
import io.cairn.client.PathWalker;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.fs.Caller;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.DirectoryPage;
import io.cairn.fs.Errno;
import io.cairn.fs.FileType;
import io.cairn.fs.FsException;
import io.cairn.fs.Wording;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn fs set}: changes the policy of a file, a directory, or a tree. */
@Command(
        name = "set",
        description = {
            "Change what a file or directory asks for. A directory passes it on to what is made in"
                    + " it",
            "from now on; -r also changes everything below it and moves the contents of its files."
        },
        footer = {
            "  cairn fs set --replicas 2 /mnt/cairn/projects",
            "  cairn fs set --chunk-size 16M --stripe 1 /mnt/cairn/videos -r"
        })
final class FsSetCommand implements Callable<Integer> {
    private static final int PAGE = 1024;

    /** Files named at the end. */
    private static final int MAX_LEFT = 1000;

    @Parameters(index = "0", paramLabel = "PATH", description = "On a mount.")
    private Path path = Path.of("");

    @Option(names = "--replicas", paramLabel = "N", description = "Copies of every chunk, 1 to 15.")
    private @Nullable Integer replicas;

    @Option(
            names = "--chunk-size",
            paramLabel = "SIZE",
            description = "64K to 64M, a power of two.")
    private @Nullable String chunkSize;

    @Option(
            names = "--stripe",
            paramLabel = "N",
            description = "Placement groups that a file uses in turn; 0 = all.")
    private @Nullable Integer stripe;

    @Option(names = "-r", description = "Also everything below.")
    private boolean recursive;

    private final List<String> left = new ArrayList<>();
    private long leftCount;
    private long changed;

    @Override
    public Integer call() {
        if (replicas == null && chunkSize == null && stripe == null) {
            throw new CommandException(
                    ExitCode.USAGE, "nothing to set; give --replicas, --chunk-size or --stripe");
        }
        if (replicas != null) {
            Require.between("--replicas", replicas, 1, Policy.MAX_REPLICAS);
        }
        if (stripe != null) {
            Require.between("--stripe", stripe, 0, 1 << 20);
        }
        Policy asked =
                new Policy(
                        replicas == null ? 0 : replicas,
                        chunkSize == null ? 0 : log2(ByteSize.parse(chunkSize)),
                        stripe == null ? -1 : stripe);
        try (FsSession session = new FsSession(path)) {
            PathWalker.Place place = session.place();
            set(session.files(), place.parentIno(), place.required().ino(), asked);
            if (recursive && place.required().isDirectory()) {
                descend(session.files(), place.required().ino(), asked);
            }
            tellOfMissingServers(session.files());
        }
        System.out.println(Wording.count(changed, "inode") + " set");
        if (left.isEmpty()) {
            return ExitCode.OK;
        }
        System.err.println("cairn: " + Wording.count(leftCount, "file") + " left as before:");
        left.forEach(System.err::println);
        if (leftCount > left.size()) {
            System.err.println("  ... and " + (leftCount - left.size()) + " more");
        }
        System.err.println("cairn: set this again to try them once more");
        return ExitCode.TEMPORARY;
    }

    private void tellOfMissingServers(CairnFileSystem files) {
        int most = files.mostCopies();
        if (replicas != null && most < replicas) {
            System.err.println(
                    "cairn: warning: there are chunk servers for "
                            + Wording.count(most, "copy")
                            + " of a file, not "
                            + replicas
                            + ": add chunk servers, then set this again to make the others");
        }
    }

    private static int log2(long bytes) {
        int log2 = Long.numberOfTrailingZeros(bytes);
        if (Long.bitCount(bytes) != 1
                || log2 < Layout.MIN_CHUNK_SIZE_LOG2
                || log2 > Layout.MAX_CHUNK_SIZE_LOG2) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "--chunk-size must be a power of two from 64K to 64M, not " + bytes);
        }
        return log2;
    }

    private void set(CairnFileSystem files, long parentIno, long ino, Policy asked) {
        Policy present = files.policy(ino);
        Policy next = asked.orElse(present);
        files.setPolicy(Caller.ROOT, parentIno, ino, next);
        changed++;
    }

    /** A directory of the tree and how the command calls it. */
    private record Directory(long ino, String path) {}

    private void descend(CairnFileSystem files, long root, Policy asked) {
        Deque<Directory> directories = new ArrayDeque<>();
        directories.push(new Directory(root, path.toString()));
        while (!directories.isEmpty()) {
            Directory directory = directories.pop();
            long cookie = 0;
            DirectoryPage page;
            do {
                page = files.readDirectory(Caller.ROOT, directory.ino, cookie, PAGE, false);
                for (DirectoryEntry entry : page.entries()) {
                    cookie = entry.cookie();
                    if (entry.type() == FileType.DIRECTORY || entry.type() == FileType.FILE) {
                        String name = directory.path + "/" + entry.name();
                        setIfPossible(files, directory.ino, entry.ino(), name, asked);
                    }
                    if (entry.type() == FileType.DIRECTORY) {
                        String below = directory.path + "/" + entry.name();
                        directories.push(new Directory(entry.ino(), below));
                    }
                }
            } while (!page.end());
        }
    }

    /** What cannot be changed is told at the end, and does not keep the others. */
    private void setIfPossible(
            CairnFileSystem files, long parentIno, long ino, String name, Policy asked) {
        try {
            set(files, parentIno, ino, asked);
        } catch (FsException e) {
            if (e.errno() != Errno.ESTALE && e.errno() != Errno.ENOENT) {
                leftCount++;
                if (left.size() < MAX_LEFT) {
                    left.add("  " + name + ": " + Wording.of(e));
                }
            }
        }
    }
}
