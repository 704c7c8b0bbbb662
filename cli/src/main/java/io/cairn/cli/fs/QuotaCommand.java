package io.cairn.cli.fs;

import io.cairn.cli.api.ApiAnswer;
import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Changing;
import io.cairn.cli.api.Reading;
import io.cairn.cli.option.ByteSize;
import io.cairn.cli.option.TimeSpan;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn quota}: how much directories, users and groups may hold. */
@Command(
        name = "quota",
        description = "Show and set how much directories, users and groups may hold.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            QuotaCommand.Set.class,
            QuotaCommand.Remove.class,
        },
        footer = {
            "  cairn quota set /projects/a --length 100G --inodes 1000000",
            "  cairn quota set --user anna --soft-space 50G --space 60G --grace 3d",
            "  cairn quota list",
            "  cairn quota report                # those above a limit",
            "  cairn quota remove /projects/a"
        })
public final class QuotaCommand implements Callable<Integer> {
    private static final String COLUMNS =
            "id state used.spaceBytes:space hard.spaceBytes:limit used.lengthBytes:length"
                    + " hard.lengthBytes:limit used.inodes:inodes hard.inodes:limit path";

    @Override
    public Integer call() {
        throw new CommandException(
                ExitCode.USAGE,
                "a command is missing: cairn quota set, list, remove, report; see --help");
    }

    @Command(
            name = "list",
            description = "List all quotas, and what is used of them.",
            footer = "  cairn quota list")
    @Calls("GET /quotas")
    int list(@Mixin Reading reading) {
        return reading.list(ApiRequest.of("GET /quotas"), COLUMNS);
    }

    @Command(
            name = "report",
            description = "List the quotas with a limit that is passed or reached.",
            footer = "  cairn quota report")
    @Calls("GET /quotas")
    int report(@Mixin Reading reading) {
        return reading.list(ApiRequest.of("GET /quotas").query("above", true), COLUMNS);
    }

    /** Whose quota. */
    static final class Whose {
        @Parameters(
                index = "0",
                arity = "0..1",
                paramLabel = "DIRECTORY",
                description = FsFilesCommands.PATH)
        private @Nullable String path;

        @Option(names = "--user", paramLabel = "USER", description = "A name or a uid.")
        private @Nullable String user;

        @Option(names = "--group", paramLabel = "GROUP", description = "A name or a gid.")
        private @Nullable String group;

        /** The field of the API that names it, and its value. */
        Map<String, Object> fields(Changing changing) {
            Map<String, Object> fields = new LinkedHashMap<>();
            if (path != null) {
                fields.put("path", ClusterPath.of(path).checked(changing).text());
            }
            if (user != null) {
                fields.put("user", NameService.uid(user));
            }
            if (group != null) {
                fields.put("group", NameService.gid(group));
            }
            if (fields.size() != 1) {
                throw new CommandException(
                        ExitCode.USAGE, "give a directory, or --user, or --group");
            }
            return fields;
        }

        /** What is limited, for people. */
        String text() {
            return path != null ? path : user != null ? "user " + user : "group " + group;
        }
    }

    /** {@code cairn quota set}. */
    @Command(
            name = "set",
            description = "Set limits; those not given stay as they are, 0 removes one.",
            footer = {
                "  cairn quota set /projects/a --length 100G --inodes 1000000",
                "  cairn quota set --group staff --space 2T --strict"
            })
    @Calls({"POST /quotas", "GET /files/{path}"})
    static final class Set implements Callable<Integer> {
        @Mixin private Changing changing = new Changing();
        @Mixin private Whose whose = new Whose();

        @Option(names = "--inodes", paramLabel = "N", description = "Files and directories.")
        private @Nullable Long inodes;

        @Option(names = "--length", paramLabel = "SIZE", description = "Lengths of files.")
        private @Nullable String length;

        @Option(names = "--space", paramLabel = "SIZE", description = "What all copies occupy.")
        private @Nullable String space;

        @Option(names = "--soft-inodes", paramLabel = "N", description = "From where to warn.")
        private @Nullable Long softInodes;

        @Option(names = "--soft-length", paramLabel = "SIZE", description = "From where to warn.")
        private @Nullable String softLength;

        @Option(names = "--soft-space", paramLabel = "SIZE", description = "From where to warn.")
        private @Nullable String softSpace;

        @Option(
                names = "--grace",
                paramLabel = "TIME",
                description = "How long a soft limit may be passed, such as 12h (default: 7d).")
        private @Nullable String grace;

        @Option(names = "--strict", description = "Refuse a limit below what is used.")
        private boolean strict;

        @Override
        public Integer call() {
            Map<String, Object> body = whose.fields(changing);
            int named = body.size();
            put(body, "hardInodes", inodes);
            put(body, "hardLengthBytes", bytes(length));
            put(body, "hardSpaceBytes", bytes(space));
            put(body, "softInodes", softInodes);
            put(body, "softLengthBytes", bytes(softLength));
            put(body, "softSpaceBytes", bytes(softSpace));
            if (grace != null) {
                body.put("graceMs", 1000 * TimeSpan.seconds("--grace", grace));
            }
            if (body.size() == named) {
                throw new CommandException(
                        ExitCode.USAGE, "give a limit, such as --length 100G or --inodes 1000");
            }
            if (strict) {
                body.put("strict", true);
            }
            ApiAnswer answer = changing.apply(ApiRequest.of("POST /quotas").body(body));
            if (answer != null && "full".equals(answer.document().get("state"))) {
                changing.errors()
                        .println(
                                "cairn: "
                                        + whose.text()
                                        + " holds that much already: nothing more is taken");
            }
            return changing.done(answer, whose.text() + " has a quota");
        }

        private static void put(Map<String, Object> body, String field, @Nullable Long value) {
            if (value != null) {
                body.put(field, value);
            }
        }

        private static @Nullable Long bytes(@Nullable String size) {
            return size == null ? null : Long.valueOf(ByteSize.parse(size));
        }
    }

    /** {@code cairn quota remove}. */
    @Command(
            name = "remove",
            description = "Remove all limits of a directory, a user or a group.",
            footer = "  cairn quota remove /projects/a")
    @Calls({"DELETE /quotas/{id}", "GET /files/{path}"})
    static final class Remove implements Callable<Integer> {
        @Mixin private Changing changing = new Changing();
        @Mixin private Whose whose = new Whose();

        @Override
        public Integer call() {
            Map<String, Object> fields = whose.fields(changing);
            String id =
                    fields.get("path") instanceof String path
                            ? "directory-" + ino(path)
                            : fields.containsKey("user")
                                    ? "user-" + fields.get("user")
                                    : "group-" + fields.get("group");
            return changing.done(
                    changing.apply(ApiRequest.of("DELETE /quotas/{id}", id)),
                    whose.text() + " has no quota any more");
        }

        private Object ino(String path) {
            return String.valueOf(
                    changing.ask(ApiRequest.of("GET /files/{path}", path)).document().get("ino"));
        }
    }
}
