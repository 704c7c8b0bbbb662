package io.cairn.cli;

import io.cairn.base.FsException;
import io.cairn.base.Printable;
import io.cairn.base.Wording;
import io.cairn.cli.admin.AdminCommand;
import io.cairn.cli.admin.CaCommand;
import io.cairn.cli.admin.ExportsCommand;
import io.cairn.cli.admin.FsckCommand;
import io.cairn.cli.admin.StatusCommand;
import io.cairn.cli.api.ApiException;
import io.cairn.cli.bench.BenchCommand;
import io.cairn.cli.doctor.DoctorCommand;
import io.cairn.cli.doctor.WhyCommand;
import io.cairn.cli.fs.ClassCommand;
import io.cairn.cli.fs.CloneCommand;
import io.cairn.cli.fs.FsCommand;
import io.cairn.cli.fs.QuotaCommand;
import io.cairn.cli.fs.SnapshotCommand;
import io.cairn.cli.fs.TrashCommand;
import io.cairn.cli.option.LogSettings;
import io.cairn.cli.option.ProductVersion;
import io.cairn.cli.service.ChunkCommand;
import io.cairn.cli.service.DownCommand;
import io.cairn.cli.service.HealthCommand;
import io.cairn.cli.service.MasterCommand;
import io.cairn.cli.service.MountCommand;
import io.cairn.cli.service.NfsCommand;
import io.cairn.cli.service.RehearseCommand;
import io.cairn.cli.service.UnmountCommand;
import io.cairn.cli.service.UpCommand;
import io.cairn.cli.verify.VerifyCommand;
import io.cairn.fuse.sys.MountException;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.log.LogLevels;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;

/**
 * The {@code cairn} command: picks the sub-command and turns every failure into one line and an
 * exit code.
 */
@Command(
        name = "cairn",
        description = "Cairn, a distributed filesystem.",
        synopsisSubcommandLabel = "COMMAND",
        versionProvider = ProductVersion.class,
        scope = ScopeType.INHERIT,
        mixinStandardHelpOptions = true,
        sortOptions = false,
        exitCodeOnInvalidInput = ExitCode.USAGE,
        exitCodeOnExecutionException = ExitCode.SOFTWARE)
public final class Cairn {
    /** In the order of the help. */
    private static final List<Class<?>> COMMANDS =
            List.of(
                    UpCommand.class,
                    DownCommand.class,
                    StatusCommand.class,
                    MasterCommand.class,
                    ChunkCommand.class,
                    MountCommand.class,
                    UnmountCommand.class,
                    NfsCommand.class,
                    FsCommand.class,
                    QuotaCommand.class,
                    ClassCommand.class,
                    TrashCommand.class,
                    SnapshotCommand.class,
                    CloneCommand.class,
                    AdminCommand.class,
                    ExportsCommand.class,
                    CaCommand.class,
                    DoctorCommand.class,
                    WhyCommand.class,
                    HealthCommand.class,
                    FsckCommand.class,
                    VerifyCommand.class,
                    BenchCommand.class,
                    CompletionCommand.class,
                    HelpCommand.class,
                    RehearseCommand.class,
                    DocumentsCommand.class);

    /** They tell of all others. */
    private static final Set<Class<?>> NEED_ALL =
            Set.of(CompletionCommand.class, HelpCommand.class, DocumentsCommand.class);

    /** Set by hand: as part of the annotation every command would inherit them. */
    private static final String[] EXAMPLES = {
        "  cairn up --mount /mnt/cairn     # a whole filesystem on this machine",
        "  cairn status                    # how it is, and what to do about it",
        "  cairn help moosefs              # goal, trashtime ...: what to use here",
        "",
        "In the source tree './cairn test' builds and runs all tests. Every option can",
        "also stand in a YAML file (--config FILE) or in the environment (--data as",
        "CAIRN_DATA). Exit codes are those of sysexits.h."
    };

    @Option(
            names = "--debug",
            scope = ScopeType.INHERIT,
            description = "Show stack traces of errors and log more.")
    private boolean debug;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "A YAML file with settings: the names of options without dashes.")
    @SuppressWarnings(
            "UnusedVariable") // SettingsProvider reads it before the command line is parsed.
    private @Nullable String config;

    @Option(
            names = "--log-format",
            paramLabel = "text|json",
            scope = ScopeType.INHERIT,
            description = "How the log is written: lines of text (default), or of JSON.")
    @SuppressWarnings("UnusedVariable") // Applied before the command line is parsed.
    private @Nullable String logFormat;

    @Option(
            names = "--log-level",
            paramLabel = "LOGGER=LEVEL[,...]",
            scope = ScopeType.INHERIT,
            description = {
                "What is logged: off, error, warn, info, debug or trace; without LOGGER= for all of"
                        + " Cairn.",
                "A change in the file of --config takes effect within seconds."
            })
    @SuppressWarnings("UnusedVariable") // Applied before the command line is parsed.
    private @Nullable String logLevel;

    private Cairn() {}

    /** Runs a command and ends the JVM with its exit code. */
    public static void main(String[] arguments) {
        System.exit(
                run(
                        RawArguments.of(arguments),
                        new PrintWriter(System.err, true, System.err.charset())));
    }

    /** Runs a command and returns its exit code; errors are one line on {@code errors}. */
    public static int run(String[] arguments, PrintWriter errors) {
        return run(arguments, new PrintWriter(System.out, true, System.out.charset()), errors);
    }

    /** All commands, ready to be parsed. */
    public static CommandLine commands() {
        return commands(new Cairn(), COMMANDS);
    }

    private static CommandLine commands(Cairn cairn, List<Class<?>> commands) {
        CommandLine line = new CommandLine(cairn);
        commands.forEach(line::addSubcommand);
        line.getCommandSpec().usageMessage().footer(EXAMPLES);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        return line;
    }

    /** The same with the output of commands that take it. */
    public static int run(String[] arguments, PrintWriter output, PrintWriter errors) {
        Cairn cairn = new Cairn();
        CommandLine line = commands(cairn, called(arguments));
        line.setOut(output);
        line.setErr(errors);
        line.setHelpFactory(new HelpPages(System.getenv()));
        line.setParameterExceptionHandler(Cairn::refuse);
        line.setExecutionStrategy(Cairn::execute);
        line.setExecutionExceptionHandler(
                (e, command, parsed) -> cairn.report(e, command.getErr()));
        if (List.of(arguments).contains("--debug")) {
            LogLevels.showMore();
        }
        try {
            SettingsProvider settings = settings(line, arguments);
            line.setDefaultValueProvider(settings);
            configureLog(line, settings, arguments);
        } catch (CommandException e) {
            return cairn.report(e, errors);
        }
        if (arguments.length == 0) {
            line.usage(errors);
            return ExitCode.USAGE;
        }
        return line.execute(arguments);
    }

    /** The command line goes before the environment, and that before the file. */
    private static void configureLog(
            CommandLine line, SettingsProvider settings, String[] arguments) {
        LogSettings log =
                LogSettings.apply(
                        settings.value("log-format", arguments),
                        settings.value("log-level", arguments));
        if (settings.isFromFile("log-level", arguments)) {
            log.follow(() -> settings(line, arguments).value("log-level", arguments));
        }
    }

    private static SettingsProvider settings(CommandLine line, String[] arguments) {
        return SettingsProvider.of(line, () -> All.COMMANDS, arguments, System.getenv());
    }

    /** Made when first asked for; services look into their file again and again. */
    private static final class All {
        private static final CommandLine COMMANDS = commands();
    }

    /**
     * What these words can call: all that a model of every command costs at a start, a third of the
     * time of a short one, is saved when the first word names one that needs no other.
     */
    private static List<Class<?>> called(String[] arguments) {
        for (Class<?> each : COMMANDS) {
            if (arguments.length > 0
                    && each.getAnnotation(Command.class).name().equals(arguments[0])
                    && !NEED_ALL.contains(each)) {
                return List.of(each);
            }
        }
        return COMMANDS;
    }

    private static int refuse(ParameterException error, String[] arguments) {
        error.getCommandLine()
                .getErr()
                .println("cairn: " + Printable.of(Refusal.of(error, List.of(arguments))));
        return ExitCode.USAGE;
    }

    private static int execute(CommandLine.ParseResult parsed) {
        Refusal.requireKnown(parsed);
        return new CommandLine.RunLast().execute(parsed);
    }

    private int report(Exception error, PrintWriter errors) {
        Throwable cause = error;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        errors.println("cairn: " + Printable.of(firstLine(cause)));
        if (debug) {
            cause.printStackTrace(errors);
        }
        return switch (cause) {
            case CommandException e -> e.exitCode();
            case ApiException e -> e.exitCode();
            case FsException e -> ExitCode.of(e.errno());
            case MountException e -> e.category().exitCode();
            default -> ExitCode.SOFTWARE;
        };
    }

    private static String firstLine(Throwable error) {
        String message = error.getMessage();
        if (error instanceof UncheckedIOException && error.getCause() != null) {
            return firstLine(error.getCause());
        }
        if (error instanceof FileSystemException e && e.getFile() != null) {
            return e.getFile() + ": " + Wording.of(e);
        }
        if (error instanceof IOException) {
            return Wording.of(error);
        }
        if (message == null || message.isBlank()) {
            return "internal error: " + error + " (run with --debug for details)";
        }
        return message.lines().findFirst().orElse(message).strip();
    }
}
