package io.cairn.cli.doctor;

import io.cairn.base.Wording;
import io.cairn.cli.option.Require;
import io.cairn.fuse.loop.SlowRequests;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.Source;
import io.cairn.os.MountCalls;
import io.cairn.runtime.WaitCause;
import io.cairn.trace.SlowRing;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.jr.ob.JSON;

/** {@code cairn why}: what the slowest operations on this machine waited for. */
@Command(
        name = "why",
        description = {
            "Show the slowest operations of the last five minutes on the mounts of this machine,"
                    + " and what they waited for.",
            "Every mount remembers the eight slowest of each kind. It tells root and its own user,"
                    + " also when no master answers.",
            "The columns are shares of the total: work of the mount itself, waiting for the leading"
                    + " master, for chunk servers, for room in the write buffers, and for other"
                    + " operations on the same file."
        },
        footer = {
            "  cairn why",
            "  cairn why /mnt/cairn/projects",
            "  cairn why 4711 --json    # of one process"
        })
public final class WhyCommand implements Callable<Integer> {
    private static final String PREFIX = "cairn:";
    private static final int LEAST_NAME = 11;
    private static final int ENODATA = 61;
    private static final int EOPNOTSUPP = 95;

    @Spec private CommandSpec spec = CommandSpec.create();

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "PATH|PID",
            description =
                    "Only what is below this path, or was asked for by this process. A file with a"
                            + " number as its name is ./NUMBER.")
    private @Nullable String subject;

    @Option(
            names = "--top",
            paramLabel = "N",
            defaultValue = "20",
            description = "Show at most so many (default: ${DEFAULT-VALUE}).")
    private int top;

    @Option(names = "--json", description = "Print a JSON document.")
    private boolean json;

    @Override
    public Integer call() {
        Require.between("--top", top, 1, 1000);
        List<MountEntry> mounts = mounts();
        String given = subject;
        long process = given == null ? 0 : process(given);
        String path = given == null || process != 0 ? null : path(given, mounts);
        List<MountEntry> asked = path == null ? mounts : List.of(above(path, mounts));
        if (asked.isEmpty()) {
            throw new CommandException(
                    ExitCode.NO_INPUT,
                    "no Cairn mount on this machine; run it where the slow program runs");
        }
        List<SlowOperation> all = askAll(asked);
        List<SlowOperation> found =
                all.stream()
                        .filter(each -> process == 0 || each.process() == process)
                        .filter(each -> path == null || each.isBelow(path))
                        .sorted(Comparator.comparingLong(SlowOperation::totalUs).reversed())
                        .limit(top)
                        .toList();
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(document(found));
        } else {
            print(found, out);
        }
        out.flush();
        if (path != null) {
            PrintWriter errors = spec.commandLine().getErr();
            errors.print(withoutPath(all));
            errors.flush();
        }
        return ExitCode.OK;
    }

    /** A line that says how many have no known path, so that no path fits them; empty for none. */
    static String withoutPath(List<SlowOperation> operations) {
        long count = operations.stream().filter(each -> each.path().isEmpty()).count();
        return count == 0
                ? ""
                : String.format(
                        Locale.ROOT,
                        "cairn: %d slow operation%s no known path; ask without PATH%n",
                        count,
                        count == 1 ? " has" : "s have");
    }

    /** Asks those that answer; the others are told of, and only fail when there is no other. */
    private List<SlowOperation> askAll(List<MountEntry> mounts) {
        List<SlowOperation> all = new ArrayList<>();
        List<CommandException> refused = new ArrayList<>();
        for (MountEntry mount : mounts) {
            try {
                all.addAll(ask(mount));
            } catch (CommandException e) {
                refused.add(e);
            }
        }
        if (refused.size() == mounts.size()) {
            throw refused.getFirst();
        }
        PrintWriter errors = spec.commandLine().getErr();
        refused.forEach(each -> errors.println("cairn: " + each.getMessage()));
        errors.flush();
        return all;
    }

    /** The number of a process; 0 when it is the name of a file. Looks for no file: see path. */
    private static long process(String given) {
        return given.matches("[1-9][0-9]{0,9}") ? Long.parseLong(given) : 0;
    }

    /** Touches no mount: it may wait for a master, and that may be why this is asked. */
    private static String path(String given, List<MountEntry> mounts) {
        return RealPath.of(Path.of(given), mounts.stream().map(MountEntry::mountpoint).toList())
                .toString();
    }

    private static List<MountEntry> mounts() {
        try {
            return Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
                    .map(MountEntry::parse)
                    .filter(Objects::nonNull)
                    .filter(each -> each.type().equals("fuse.cairn"))
                    .filter(each -> each.source().startsWith(PREFIX))
                    .toList();
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.OS_ERROR, "/proc/self/mountinfo: " + Wording.of(e), e);
        }
    }

    private static MountEntry above(String path, List<MountEntry> mounts) {
        return mounts.stream()
                .filter(each -> Path.of(path).startsWith(each.mountpoint()))
                .max(Comparator.comparingInt(each -> each.mountpoint().getNameCount()))
                .orElseThrow(() -> notHere(path));
    }

    private static CommandException notHere(String path) {
        return new CommandException(
                ExitCode.USAGE,
                path
                        + " is not on a Cairn mount, nor the number of a process;"
                        + " 'findmnt -t fuse.cairn' lists mounts");
    }

    private static List<SlowOperation> ask(MountEntry mount) {
        Path at = mount.mountpoint();
        byte[] told = MountCalls.getxattr(at, SlowRequests.NAME, errno -> refused(at, errno));
        Source source = Source.parse(mount.source().substring(PREFIX.length()));
        List<SlowOperation> operations = new ArrayList<>();
        new String(told == null ? new byte[0] : told, StandardCharsets.UTF_8)
                .lines()
                .map(line -> SlowOperation.parse(line, at, source.subdirectory()))
                .filter(Objects::nonNull)
                .forEach(operations::add);
        return operations;
    }

    private static void refused(Path at, int errno) {
        throw switch (errno) {
            case MountCalls.EPERM, MountCalls.EACCES ->
                    new CommandException(
                            ExitCode.NO_PERMISSION,
                            at + " tells root and the user who mounted it only; use sudo");
            case MountCalls.ENOTCONN ->
                    new CommandException(
                            ExitCode.UNAVAILABLE,
                            "the mount at "
                                    + at
                                    + " is dead; 'cairn unmount "
                                    + at
                                    + "' and mount it again");
            case ENODATA, EOPNOTSUPP ->
                    new CommandException(
                            ExitCode.UNAVAILABLE,
                            "the mount at "
                                    + at
                                    + " remembers no slow operations: it is of another release, or"
                                    + " has driver=jnr; mount it again");
            default ->
                    new CommandException(
                            ExitCode.OS_ERROR, at + " cannot be asked: error " + errno);
        };
    }

    /** The operations as people read them. */
    static void print(List<SlowOperation> operations, PrintWriter out) {
        if (operations.isEmpty()) {
            out.printf(
                    "no operation of the last %d minutes took longer than %.1f ms%n",
                    TimeUnit.NANOSECONDS.toMinutes(SlowRing.WINDOW_NS), SlowRing.LEAST_NS / 1e6);
            return;
        }
        int width =
                operations.stream()
                        .mapToInt(each -> each.operation().length())
                        .reduce(LEAST_NAME, Math::max);
        out.printf(
                "%5s  %s  %10s  %5s %6s %6s %7s %6s  %s%n",
                "AGO",
                padded("OPERATION", width),
                "TOTAL",
                "MOUNT",
                "MASTER",
                "CHUNKS",
                "BUFFERS",
                "OTHERS",
                "PATH");
        for (SlowOperation each : operations) {
            out.printf(
                    "%4ds  %s  %7.1f ms  %5s %6s %6s %7s %6s  %s%s%n",
                    each.agoMs() / 1000,
                    padded(each.operation(), width),
                    each.totalUs() / 1e3,
                    percent(each.ownUs(), each),
                    percent(each.waitUs(WaitCause.MASTER), each),
                    percent(each.waitUs(WaitCause.CHUNKS), each),
                    percent(each.waitUs(WaitCause.BUFFERS), each),
                    percent(each.waitUs(WaitCause.OTHERS), each),
                    each.where(),
                    by(each));
        }
        SlowVerdict verdict = SlowVerdict.of(operations);
        out.println(verdict.text());
        out.println("-> " + verdict.remedy());
    }

    private static String padded(String name, int width) {
        return name + " ".repeat(Math.max(0, width - name.length()));
    }

    private static String by(SlowOperation each) {
        if (each.process() == 0) {
            return "";
        }
        String name = each.program().isEmpty() ? "" : each.program() + " ";
        return "  (" + name + each.process() + ")";
    }

    private static String percent(long partUs, SlowOperation of) {
        long percent = Math.round(100.0 * partUs / of.totalUs());
        return percent == 0 ? "-" : String.format(Locale.ROOT, "%d%%", Math.min(100, percent));
    }

    /** The operations as a JSON document. */
    static String document(List<SlowOperation> operations) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("windowS", TimeUnit.NANOSECONDS.toSeconds(SlowRing.WINDOW_NS));
        document.put("operations", operations.stream().map(SlowOperation::document).toList());
        if (!operations.isEmpty()) {
            SlowVerdict verdict = SlowVerdict.of(operations);
            document.put("worst", verdict.part());
            document.put("percent", verdict.percent());
            document.put("text", verdict.text());
            document.put("remedy", verdict.remedy());
        }
        return JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(document);
    }
}
