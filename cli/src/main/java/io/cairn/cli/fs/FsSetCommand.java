package io.cairn.cli.fs;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.Printable;
import io.cairn.base.Wording;
import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Changing;
import io.cairn.cli.option.ByteSize;
import io.cairn.cli.option.Require;
import io.cairn.cli.option.TimeSpan;
import io.cairn.client.CairnFileSystem;
import io.cairn.client.tree.PathWalker;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Policy.Compression;
import io.cairn.fs.Caller;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.DirectoryPage;
import io.cairn.fs.FileType;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn fs set}: changes the policy of a file, a directory, or a tree. */
@Command(
        name = "set",
        description = {
            "Change what a file or directory asks for. A directory passes it on to what is made in"
                    + " it from now on; -r also changes everything below it.",
            "On a mount here it also moves the contents of files. For another path, or with --api"
                    + " or --plan, the admin API is asked: then it is for new contents."
        },
        footer = {
            "  cairn fs set --replicas 2 /mnt/cairn/projects",
            "  cairn fs set --chunk-size 16M --stripe 1 /mnt/cairn/videos -r",
            "  cairn fs set --replicas default /projects -r --plan",
            "  cairn fs set --class videos /mnt/cairn/videos"
        })
@Calls({
    "PATCH /files/{path}",
    "GET /files/{path}",
    "POST /jobs",
    "GET /jobs/{id}",
    "PUT /retention/{path}",
    "PUT /directory-classes/{path}"
})
final class FsSetCommand implements Callable<Integer> {
    private static final int PAGE = 1024;

    /** Files named at the end. */
    private static final int MAX_LEFT = 1000;

    static final String DEFAULT = "default";
    private static final String REPLICAS = "replicas";
    private static final String CHUNK_SIZE = "chunkSizeBytes";
    private static final String STRIPE = "stripe";
    private static final String COMPRESSION = "compression";
    private static final String INLINE = "inlineLimitBytes";

    @Mixin private Changing changing = new Changing();

    @Mixin private FsTreeCommands.Tree tree = new FsTreeCommands.Tree();

    @Parameters(index = "0", paramLabel = "PATH", description = FsFilesCommands.PATH)
    private String path = "";

    @Option(
            names = "--replicas",
            paramLabel = "N",
            description = "Copies of every chunk, 1 to 15, or 'default'.")
    private @Nullable String replicas;

    @Option(
            names = "--chunk-size",
            paramLabel = "SIZE",
            description = "64K to 64M, a power of two, or 'default'.")
    private @Nullable String chunkSize;

    @Option(
            names = "--stripe",
            paramLabel = "N",
            description = "Placement groups that a file uses in turn, 0 for all, or 'default'.")
    private @Nullable String stripe;

    @Option(
            names = "--compression",
            paramLabel = "CODEC",
            description =
                    "How new chunks are packed once they rest: none, lz4 (fast) or zstd (smaller),"
                            + " or 'default'. There are pools for it when a class asks for it.")
    private @Nullable String compression;

    @Option(
            names = "--inline-limit",
            paramLabel = "SIZE",
            description =
                    "Files up to it have their contents in the masters: 0 for none, or a power of"
                            + " two from 512 to 16K, or 'default'.")
    private @Nullable String inlineLimit;

    @Option(
            names = "--trash",
            paramLabel = "TIME",
            description =
                    "How long a directory and all below keep what is removed, such as 7d;"
                            + " 'off', or 'default' for as the directory above says. Asks the"
                            + " admin API.")
    private @Nullable String trash;

    @Option(
            names = "--class",
            paramLabel = "NAME",
            description =
                    "The storage class of a directory and all below, for new files; 'none' for as"
                            + " the directory above has it. Asks the admin API; see 'cairn class'.")
    private @Nullable String storageClass;

    private final List<String> left = new ArrayList<>();
    private long leftCount;
    private long changed;

    /** The wanted policy, as the API has it: null is the default, an absent field stays. */
    private record Asked(Map<String, @Nullable Object> fields) {
        /** A policy with what is asked for, and the rest as it was. */
        Policy orElse(Policy present) {
            int chunkSizeLog2 =
                    fields.get(CHUNK_SIZE) instanceof Long bytes
                            ? Long.numberOfTrailingZeros(bytes)
                            : 0;
            return new Policy(
                    fields.containsKey(REPLICAS) ? number(REPLICAS, 0) : present.replicas(),
                    fields.containsKey(CHUNK_SIZE) ? chunkSizeLog2 : present.chunkSizeLog2(),
                    fields.containsKey(STRIPE) ? number(STRIPE, -1) : present.stripeWidth(),
                    fields.containsKey(COMPRESSION)
                            ? Compression.of((String) fields.get(COMPRESSION))
                            : present.compression(),
                    fields.containsKey(INLINE)
                            ? number(INLINE, Policy.UNSAID_INLINE)
                            : present.inlineBytes(),
                    present.labels(),
                    present.key());
        }

        private int number(String field, int standard) {
            return fields.get(field) instanceof Long number ? number.intValue() : standard;
        }

        long replicas() {
            return number(REPLICAS, 0);
        }

        @SuppressWarnings("NullAway") // JSON has null, Map<String, Object> has no word for it.
        Map<String, Object> body() {
            return new LinkedHashMap<>(fields);
        }
    }

    @Override
    public Integer call() {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        putPolicy(fields, replicas, chunkSize, stripe);
        putContents(fields, compression, inlineLimit);
        if (trash == null && storageClass == null && fields.isEmpty()) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "nothing to set; give --replicas, --chunk-size, --stripe, --compression,"
                            + " --inline-limit, --trash or --class");
        }
        int code = storageClass == null ? ExitCode.OK : assign(storageClass);
        if (code == ExitCode.OK && trash != null) {
            code = keep(trash);
        }
        if (fields.isEmpty() || code != ExitCode.OK) {
            return code;
        }
        Asked asked = new Asked(fields);
        if (!ClusterPath.of(path, changing).isHere(changing) || changing.isPlan()) {
            return FsTreeCommands.edit(changing, tree, "policy", path, asked.body());
        }
        try (FsSession session = new FsSession(Path.of(path))) {
            PathWalker.Place place = session.place();
            set(session.files(), place.parentIno(), place.required().ino(), asked);
            if (tree.isRecursive() && place.required().isDirectory()) {
                descend(session.files(), place.required().ino(), asked);
            }
            tellOfMissingServers(session.files(), asked);
        }
        System.out.println(Wording.count(changed, "inode") + " set");
        return tellOfThoseLeft();
    }

    /** Moves the contents of all files of a tree on a mount to where their policies want them. */
    static int moveContents(String path) {
        FsSetCommand command = new FsSetCommand();
        command.path = path;
        Map<String, @Nullable Object> unchanged = new LinkedHashMap<>();
        Asked nothing = new Asked(unchanged);
        try (FsSession session = new FsSession(Path.of(path))) {
            PathWalker.Place place = session.place();
            long ino = place.required().ino();
            command.set(session.files(), place.parentIno(), ino, nothing);
            if (place.required().isDirectory()) {
                command.descend(session.files(), ino, nothing);
            }
        }
        return command.tellOfThoseLeft();
    }

    /** Puts what options say into the fields of a policy; null is the default. */
    static void putPolicy(
            Map<String, @Nullable Object> fields,
            @Nullable String replicas,
            @Nullable String chunkSize,
            @Nullable String stripe) {
        if (replicas != null) {
            fields.put(REPLICAS, number("--replicas", replicas, 1, Policy.MAX_REPLICAS));
        }
        if (chunkSize != null) {
            fields.put(
                    CHUNK_SIZE,
                    chunkSize.equals(DEFAULT) ? null : 1L << log2(ByteSize.parse(chunkSize)));
        }
        if (stripe != null) {
            fields.put(STRIPE, number("--stripe", stripe, 0, 1 << 20));
        }
    }

    /** The same for options about contents that rest, and for small ones. */
    static void putContents(
            Map<String, @Nullable Object> fields,
            @Nullable String compression,
            @Nullable String inlineLimit) {
        if (compression != null) {
            fields.put(COMPRESSION, codec(compression));
        }
        if (inlineLimit != null) {
            fields.put(INLINE, inlineBytes(inlineLimit));
        }
    }

    private static @Nullable String codec(String text) {
        if (text.equals(DEFAULT)) {
            return null;
        }
        if (!Compression.texts().contains(text)) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "--compression '"
                            + text
                            + "' is none of "
                            + String.join(", ", Compression.texts())
                            + " or default");
        }
        return text;
    }

    private static @Nullable Long inlineBytes(String text) {
        if (text.equals(DEFAULT)) {
            return null;
        }
        long bytes = ByteSize.parse(text);
        if (!Policy.isInlineLimit(bytes)) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "--inline-limit must be 0, or a power of two from 512 to 16K, not " + text);
        }
        return bytes;
    }

    /** Gives a directory a class. */
    @SuppressWarnings("NullAway") // JSON has null, Map<String, Object> has no word for it.
    private int assign(String name) {
        boolean isNone = name.equals("none");
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        body.put("class", isNone ? null : name);
        ClusterPath place = ClusterPath.of(path).checked(changing);
        ApiRequest request = ApiRequest.of("PUT /directory-classes/{path}", place.text());
        return changing.done(
                changing.apply(request.body(new LinkedHashMap<>(body))),
                isNone
                        ? place.text() + " has the class of the directory above, if any"
                        : place.text() + " has class " + name + " for new files");
    }

    /** The value of {@code --trash}: a time, 0 for 'off', null for 'default'. */
    static @Nullable Long trashSeconds(String time) {
        if (time.equals(DEFAULT)) {
            return null;
        }
        return time.equals("off") || time.equals("0") ? 0L : TimeSpan.seconds("--trash", time);
    }

    /** Says how long a directory keeps what is removed. */
    @SuppressWarnings("NullAway") // JSON has null, Map<String, Object> has no word for it.
    private int keep(String time) {
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        Long seconds = trashSeconds(time);
        body.put("seconds", seconds);
        ClusterPath place = ClusterPath.of(path).checked(changing);
        Map<String, Object> json = new LinkedHashMap<>(body);
        return changing.done(
                changing.apply(ApiRequest.of("PUT /retention/{path}", place.text()).body(json)),
                seconds == null
                        ? place.text() + " keeps what is removed as the directory above says"
                        : place.text() + " keeps what is removed: " + time);
    }

    /** The names of others may hold anything. */
    static String leftLine(String path, FsException why) {
        return "  " + Printable.of(path) + ": " + Printable.of(Wording.of(why));
    }

    private int tellOfThoseLeft() {
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

    private static @Nullable Long number(String option, String text, long least, long most) {
        if (text.equals(DEFAULT)) {
            return null;
        }
        if (!text.matches("[0-9]{1,9}")) {
            throw new CommandException(
                    ExitCode.USAGE, option + " '" + text + "' is neither a number nor 'default'");
        }
        Require.between(option, Long.parseLong(text), least, most);
        return Long.valueOf(text);
    }

    private static void tellOfMissingServers(CairnFileSystem files, Asked asked) {
        int most = files.mostCopies();
        long wanted = asked.replicas();
        if (most < wanted) {
            System.err.println(
                    "cairn: warning: there are chunk servers for "
                            + Wording.count(most, "copy")
                            + " of a file, not "
                            + wanted
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

    private void set(CairnFileSystem files, long parentIno, long ino, Asked asked) {
        Policy present = files.policy(ino);
        Policy next = asked.orElse(present);
        if (next.packsLargeChunks()) {
            throw new FsException(
                    Errno.EINVAL,
                    "chunks of more than 16M are not packed: give --chunk-size 16M, or"
                            + " --compression none");
        }
        files.setPolicy(Caller.ROOT, parentIno, ino, next);
        changed++;
    }

    /** A directory of the tree and how the command calls it. */
    private record Directory(long ino, String path) {}

    private void descend(CairnFileSystem files, long root, Asked asked) {
        Deque<Directory> directories = new ArrayDeque<>();
        directories.push(new Directory(root, path));
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

    /** Files that cannot be changed are told at the end, and do not keep the others. */
    private void setIfPossible(
            CairnFileSystem files, long parentIno, long ino, String name, Asked asked) {
        try {
            set(files, parentIno, ino, asked);
        } catch (FsException e) {
            if (e.errno() != Errno.ESTALE && e.errno() != Errno.ENOENT) {
                leftCount++;
                if (left.size() < MAX_LEFT) {
                    left.add(leftLine(name, e));
                }
            }
        }
    }
}
