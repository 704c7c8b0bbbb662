package io.cairn.cli.fs;

import io.cairn.base.Wording;
import io.cairn.cli.api.ApiAnswer;
import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Changing;
import io.cairn.cli.api.Pause;
import io.cairn.cli.api.Reading;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn trash}: what was removed and is kept for a while. */
@Command(
        name = "trash",
        description = {
            "List, restore and purge what was removed where a directory keeps it:"
                    + " 'cairn fs set --trash 7d DIR'.",
            "Files in the trash are also below .trash in the root directory of the cluster, by day"
                    + " and path: read them there, or move them out.",
            "A path is the one that was removed, on a mount here or in the cluster."
        },
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "  cairn trash list",
            "  cairn trash restore /mnt/cairn/projects/report.txt",
            "  cairn trash purge /projects/old --until-free"
        })
public final class TrashCommand implements Callable<Integer> {
    private static final String COLUMNS = "deletedAt expiresAt uid type sizeBytes:size path";
    private static final String PATH = "Where it was: a file, or a directory with all below.";
    private static final long ASK_AGAIN_MS = 200;

    @Override
    public Integer call() {
        throw new CommandException(
                ExitCode.USAGE,
                "a command is missing: cairn trash list, restore or purge; see --help");
    }

    private static String place(String given) {
        return ClusterPath.removed(given).text();
    }

    private static long entries(@Nullable ApiAnswer answer) {
        Object entries = answer == null ? null : answer.document().get("entries");
        return entries instanceof Number number ? number.longValue() : 0;
    }

    @Command(
            name = "list",
            description = "List what is in the trash, the first to go first.",
            footer = {"  cairn trash list", "  cairn trash list /projects --json"})
    @Calls("GET /trash")
    int list(
            @Parameters(arity = "0..1", paramLabel = "PATH", description = PATH)
                    @Nullable String path,
            @Mixin Reading reading) {
        return reading.list(
                ApiRequest.of("GET /trash").query("path", path == null ? null : place(path)),
                COLUMNS);
    }

    @Command(
            name = "kept",
            description = "Tell how long a directory itself says that it keeps what is removed.",
            footer = "  cairn trash kept /mnt/cairn/projects")
    @Calls("GET /retention/{path}")
    int kept(
            @Parameters(paramLabel = "DIR", description = "A directory.") String path,
            @Mixin Reading reading) {
        return reading.show(ApiRequest.of("GET /retention/{path}", place(path)));
    }

    @Command(
            name = "restore",
            description = {
                "Put a file, or a directory with all below, to where it was.",
                "Missing directories are made. Nothing is overwritten: where a name is taken the"
                        + " file gets the suffix .restored. Of several versions the last one"
                        + " comes back; name one as /.trash/DAY/PATH to have that of a day."
            },
            footer = {
                "  cairn trash restore /mnt/cairn/projects/report.txt",
                "  cairn trash restore /projects --plan"
            })
    @Calls("POST /trash/restore")
    int restore(
            @Parameters(paramLabel = "PATH", description = PATH) String path,
            @Mixin Changing changing) {
        String place = place(path);
        ApiAnswer answer =
                changing.apply(ApiRequest.of("POST /trash/restore").body(Map.of("path", place)));
        return changing.done(
                answer, "restored " + Wording.count(entries(answer), "entry") + " of " + place);
    }

    @Command(
            name = "purge",
            description = {
                "Remove what is in the trash for good: a file, or a directory with all below;"
                        + " '/' is all.",
                "What is removed while it runs stays in the trash. What a snapshot shows frees"
                        + " no space before the snapshot is dropped.",
                "--until-free returns when the space is free on the disks."
            },
            footer = {
                "  cairn trash purge /projects/old --plan",
                "  cairn trash purge / --yes --until-free"
            })
    @Calls({"POST /trash/purge", "GET /trash/sums"})
    int purge(
            @Parameters(paramLabel = "PATH", description = PATH) String path,
            @Option(
                            names = "--until-free",
                            description = "Return when all copies are deleted on the disks.")
                    boolean waits,
            @Mixin Changing changing) {
        String place = place(path);
        ApiAnswer answer =
                changing.applyWithConsent(
                        ApiRequest.of("POST /trash/purge").body(Map.of("path", place)));
        while (answer != null && answer.document().get("next") instanceof String next) {
            Map<String, Object> rest = Map.of("path", place, "after", next);
            answer = changing.ask(ApiRequest.of("POST /trash/purge").body(rest));
        }
        if (waits && answer != null) {
            awaitDeletion(changing);
        }
        String held =
                answer != null
                                && answer.document().get("heldBytes") instanceof Number bytes
                                && bytes.longValue() > 0
                        ? "; snapshots hold " + bytes + " bytes of it, which are not freed"
                        : "";
        return changing.done(
                answer,
                "purged " + Wording.count(entries(answer), "entry") + " of " + place + held);
    }

    /** Waits for what is removed by now: others may go on removing. */
    private static void awaitDeletion(Changing changing) {
        ApiRequest request = ApiRequest.of("GET /trash/sums");
        while (true) {
            Map<String, Object> sums = changing.ask(request).document();
            if (!(sums.get("awaitingDeletion") instanceof Number left) || left.longValue() == 0) {
                return;
            }
            if (sums.get("mark") instanceof String mark) {
                request = ApiRequest.of("GET /trash/sums").query("mark", mark);
            }
            Pause.millis(
                    ASK_AGAIN_MS, ExitCode.TEMPORARY, "what is purged is deleted all the same");
        }
    }
}
