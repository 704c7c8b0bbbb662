package io.cairn.cli.fs;

import io.cairn.cli.api.ApiException;
import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Changing;
import io.cairn.cli.api.Reading;
import io.cairn.cluster.Labels;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn class}: named policies that directories refer to. */
@Command(
        name = "class",
        description = {
            "Show and set storage classes: named policies for new files.",
            "A directory gets one with 'cairn fs set --class NAME DIR'. It holds for all below,"
                    + " until another directory on the way has one."
        },
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {ClassRuleCommand.class, ClassKeysCommand.class},
        footer = {
            "  cairn class create videos --replicas 2 --chunk-size 16M --trash 7d",
            "  cairn fs set --class videos /mnt/cairn/videos",
            "  cairn class set videos --replicas 3",
            "  cairn class set videos --schedule daily=7,weekly=4",
            "  cairn class of /mnt/cairn/videos/2026",
            "  cairn class apply videos"
        })
public final class ClassCommand implements Callable<Integer> {
    private static final String COLUMNS =
            "name replicas chunkSizeBytes:size stripe compression inlineLimitBytes:inline"
                    + " labels encryption keys trashSeconds schedule directoryCount directories"
                    + " rules";
    private static final String NAME = "Of the class: a-z, 0-9, '.', '-', '_'.";

    @Override
    public Integer call() {
        throw new CommandException(
                ExitCode.USAGE,
                "a command is missing: cairn class create, set, list, show, of, apply, rule, keys"
                        + " or remove; see --help");
    }

    /** What a class says. */
    static final class Wishes {
        @Option(
                names = "--replicas",
                paramLabel = "N",
                description = "Copies of new files, 1 to 15, or 'default': as the directory says.")
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
                        "How chunks of new files are packed once they rest: none, lz4 (fast) or"
                                + " zstd (smaller), or 'default'.")
        private @Nullable String compression;

        @Option(
                names = "--inline-limit",
                paramLabel = "SIZE",
                description =
                        "Files up to it have their contents in the masters: 0 for none, or a power"
                                + " of two from 512 to 16K, or 'default'.")
        private @Nullable String inlineLimit;

        @Option(
                names = "--labels",
                paramLabel = "EXPR",
                description =
                        "Labels of the chunk servers that may have copies, such as"
                                + " 'disk=ssd,!rack=r1'; with ';' between those of single copies:"
                                + " 'disk=ssd,room=a; room=b'; 'any' or 'default'.")
        private @Nullable String labels;

        @Option(
                names = "--encryption",
                paramLabel = "CIPHER",
                description =
                        "How chunks of new files are encrypted on the disks of servers:"
                                + " aes-256-xts or none, or 'default'.")
        private @Nullable String encryption;

        @Option(
                names = "--trash",
                paramLabel = "TIME",
                description = "How long removed files are kept, such as 7d; 'off' or 'default'.")
        private @Nullable String trash;

        @Option(
                names = "--schedule",
                paramLabel = "KIND=N,...",
                description =
                        "Snapshots of each directory that has the class, such as hourly=24,daily=7;"
                                + " 'none' for no more.")
        private @Nullable String schedule;

        @SuppressWarnings("NullAway") // JSON has null, Map<String, Object> has no word for it.
        Map<String, Object> body() {
            Map<String, @Nullable Object> body = new LinkedHashMap<>();
            FsSetCommand.putPolicy(body, replicas, chunkSize, stripe);
            FsSetCommand.putContents(body, compression, inlineLimit);
            if (labels != null) {
                body.put("labels", expression(labels));
            }
            if (encryption != null) {
                body.put("encryption", encryption.equals("default") ? null : encryption);
            }
            if (trash != null) {
                body.put("trashSeconds", FsSetCommand.trashSeconds(trash));
            }
            if (schedule != null) {
                body.put("schedule", snapshots(schedule));
            }
            if (body.isEmpty()) {
                throw new CommandException(
                        ExitCode.USAGE,
                        "the class says nothing; give --replicas, --chunk-size, --stripe,"
                                + " --compression, --encryption, --inline-limit, --labels, --trash"
                                + " or --schedule");
            }
            return new LinkedHashMap<>(body);
        }

        private static @Nullable String snapshots(String text) {
            if (text.equals("none") || text.equals(FsSetCommand.DEFAULT)) {
                return null;
            }
            SnapshotScheduleCommand.parse(text);
            return text;
        }

        private static @Nullable String expression(String text) {
            if (text.equals("default")) {
                return null;
            }
            try {
                return Labels.Expression.parse(text).text();
            } catch (IllegalArgumentException e) {
                throw new CommandException(
                        ExitCode.USAGE, "--labels: " + String.valueOf(e.getMessage()));
            }
        }
    }

    @Command(
            name = "list",
            description = "List all classes, and the directories that have them.",
            footer = "  cairn class list --json")
    @Calls("GET /classes")
    int list(@Mixin Reading reading) {
        return reading.list(ApiRequest.of("GET /classes"), COLUMNS);
    }

    @Command(name = "show", description = "Show one class.", footer = "  cairn class show videos")
    @Calls("GET /classes/{name}")
    int show(
            @Parameters(paramLabel = "NAME", description = NAME) String name,
            @Mixin Reading reading) {
        return reading.show(ApiRequest.of("GET /classes/{name}", name));
    }

    @Command(
            name = "of",
            description = "Show the class of a file or directory, and where it was set.",
            footer = "  cairn class of /mnt/cairn/videos/2026")
    @Calls("GET /directory-classes/{path}")
    int of(
            @Parameters(paramLabel = "PATH", description = FsFilesCommands.PATH) String path,
            @Mixin Reading reading) {
        return reading.show(
                ApiRequest.of("GET /directory-classes/{path}", ClusterPath.of(path).text()));
    }

    @Command(
            name = "create",
            description = "Make a class. What it does not say is as the directories say.",
            footer = "  cairn class create videos --replicas 2 --chunk-size 16M")
    @Calls("POST /classes")
    int create(
            @Parameters(paramLabel = "NAME", description = NAME) String name,
            @Mixin Wishes wishes,
            @Mixin Changing changing) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("name", name);
        body.putAll(wishes.body());
        return changing.done(
                changing.apply(ApiRequest.of("POST /classes").body(body)),
                "class " + name + " is made; 'cairn fs set --class " + name + " DIR' uses it");
    }

    @Command(
            name = "set",
            description = {
                "Change a class. New files follow at once, others with 'cairn class apply'."
            },
            footer = {
                "  cairn class set videos --replicas 3",
                "  cairn class set videos --trash default --plan"
            })
    @Calls("PATCH /classes/{name}")
    int set(
            @Parameters(paramLabel = "NAME", description = NAME) String name,
            @Mixin Wishes wishes,
            @Mixin Changing changing) {
        return changing.done(
                changing.apply(ApiRequest.of("PATCH /classes/{name}", name).body(wishes.body())),
                "class " + name + " is changed for new files");
    }

    @Command(
            name = "apply",
            description = {
                "Give files that are there what their classes say: those below a directory, or"
                        + " below all that have a class. A job of the masters.",
                "On a mount here it also moves the contents of files; elsewhere contents stay where"
                        + " they are until they are written anew."
            },
            footer = {"  cairn class apply /mnt/cairn/videos", "  cairn class apply videos --plan"})
    @Calls({"GET /classes/{name}", "POST /jobs", "GET /jobs/{id}", "GET /files/{path}"})
    int apply(
            @Parameters(
                            paramLabel = "NAME|DIR",
                            description = "A class, or with '/' in it a directory.")
                    String where,
            @Mixin Ordering ordering,
            @Mixin Changing changing) {
        if (where.contains("/")) {
            ClusterPath place = ClusterPath.of(where).checked(changing);
            int code = ordering.order(changing, "class", place, Map.of(), false);
            boolean moves = code == ExitCode.OK && ordering.isWaiting() && !changing.isPlan();
            if (moves && place.localIno() != null) {
                return FsSetCommand.moveContents(where);
            }
            tellWhatStays(code, changing);
            return code;
        }
        int code = applyToAll(where, ordering, changing);
        tellWhatStays(code, changing);
        return code;
    }

    private static void tellWhatStays(int code, Changing changing) {
        if (code == ExitCode.OK && !changing.isPlan()) {
            changing.errors()
                    .println(
                            "cairn: contents of files stay where they are until they are written"
                                    + " anew; 'cairn class apply DIR' with a directory on a mount"
                                    + " moves them");
        }
    }

    private static int applyToAll(String name, Ordering ordering, Changing changing) {
        Map<String, Object> known =
                changing.ask(ApiRequest.of("GET /classes/{name}", name)).document();
        List<?> directories = known.get("directories") instanceof List<?> list ? list : List.of();
        boolean hasRules = known.get("rules") instanceof List<?> rules && !rules.isEmpty();
        if (directories.isEmpty() && hasRules) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "class '"
                            + name
                            + "' is chosen by rules alone; give a directory, such as / for all"
                            + " files");
        }
        if (directories.isEmpty()) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "no directory has class '"
                            + name
                            + "'; give it to one with 'cairn fs set --class "
                            + name
                            + " DIR'");
        }
        long count = known.get("directoryCount") instanceof Number n ? n.longValue() : 0;
        if (count > directories.size()) {
            throw new CommandException(
                    ExitCode.USAGE,
                    count
                            + " directories have class '"
                            + name
                            + "': too many for one command; give a directory above them, such as"
                            + " /");
        }
        int code = ExitCode.OK;
        for (Object each : directories) {
            ClusterPath place = new ClusterPath(String.valueOf(each), null);
            int ended;
            try {
                ended = ordering.order(changing, "class", place, Map.of(), false);
            } catch (ApiException e) {
                changing.errors().println("cairn: " + place.text() + ": " + e.getMessage());
                ended = e.exitCode();
            }
            code = ended == ExitCode.OK ? code : ended;
        }
        return code;
    }

    @Command(
            name = "remove",
            description = "Remove a class that no directory has.",
            footer = "  cairn class remove videos")
    @Calls("DELETE /classes/{name}")
    int remove(
            @Parameters(paramLabel = "NAME", description = NAME) String name,
            @Mixin Changing changing) {
        return changing.done(
                changing.apply(ApiRequest.of("DELETE /classes/{name}", name)),
                "class " + name + " is removed");
    }
}
