package io.cairn.cli;

import io.cairn.cli.api.ApiException;
import io.cairn.fs.FsException;
import io.cairn.fs.Printable;
import io.cairn.fs.Spelling;
import io.cairn.fs.Wording;
import io.cairn.fuse.MountException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.UnmatchedArgumentException;

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
        exitCodeOnExecutionException = ExitCode.SOFTWARE,
        footerHeading = "%nExamples:%n",
        subcommands = {
            UpCommand.class,
            DownCommand.class,
            StatusCommand.class,
            MasterCommand.class,
            ChunkCommand.class,
            MountCommand.class,
            NfsCommand.class,
            FsCommand.class,
            AdminCommand.class,
            DoctorCommand.class,
            HealthCommand.class,
            CompletionCommand.class,
            HelpCommand.class,
            RehearseCommand.class,
            DocumentsCommand.class
        },
        footer = {
            "  cairn up --mount /mnt/cairn     a whole filesystem on this machine",
            "  cairn status                    how it is",
            "  cairn admin status              the same over the admin API, from anywhere",
            "  cairn help moosefs              goal, trashtime, fileinfo ...: what to use here",
            "  cairn test                      build and run all tests of the source tree",
            "",
            "Every option can also stand in a YAML file (--config FILE) or in the environment",
            "(--data as CAIRN_DATA). Exit codes are those of sysexits.h."
        })
public final class Cairn {
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
            description = "How the log is written: lines of text (the standard), or of JSON.")
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
    static int run(String[] arguments, PrintWriter errors) {
        return run(arguments, new PrintWriter(System.out, true, System.out.charset()), errors);
    }

    /** All commands, ready to be parsed. */
    static CommandLine commands() {
        return new CommandLine(new Cairn());
    }

    /** The same with the output of commands that take it. */
    static int run(String[] arguments, PrintWriter output, PrintWriter errors) {
        Cairn cairn = new Cairn();
        CommandLine line = new CommandLine(cairn);
        line.setOut(output);
        line.setErr(errors);
        line.setHelpFactory(new HelpPages(System.getenv()));
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setParameterExceptionHandler(Cairn::refuse);
        line.setExecutionExceptionHandler(
                (e, command, parsed) -> cairn.report(e, command.getErr()));
        if (java.util.List.of(arguments).contains("--debug")) {
            LogLevels.showMore();
        }
        try {
            SettingsProvider settings = SettingsProvider.of(line, arguments, System.getenv());
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
            log.follow(
                    () ->
                            SettingsProvider.of(line, arguments, System.getenv())
                                    .value("log-level", arguments));
        }
    }

    private static int refuse(ParameterException error, String[] arguments) {
        CommandLine command = error.getCommandLine();
        command.getErr()
                .println(
                        "cairn: "
                                + Wording.plain(firstLine(error))
                                + hint(error)
                                + "; see '"
                                + command.getCommandSpec().qualifiedName()
                                + " --help'");
        return ExitCode.USAGE;
    }

    private static String hint(ParameterException error) {
        if (!(error instanceof UnmatchedArgumentException unmatched)
                || unmatched.isUnknownOption()) {
            return "";
        }
        CommandLine command = error.getCommandLine();
        String here = MooseFsWords.find(unmatched.getUnmatched().getFirst());
        if (here != null && !command.getSubcommands().isEmpty()) {
            return ": use " + here + " ('cairn help moosefs')";
        }
        String nearest =
                Spelling.nearest(
                        command.getSubcommands().entrySet().stream()
                                .filter(each -> isShown(each.getValue()))
                                .map(Map.Entry::getKey)
                                .toList(),
                        unmatched.getUnmatched().getFirst());
        return nearest == null ? "" : ": did you mean '" + nearest + "'?";
    }

    private static boolean isShown(CommandLine command) {
        return !command.getCommandSpec().usageMessage().hidden();
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
            case ApiException e -> ExitCode.of(e);
            case FsException e -> ExitCode.of(e.errno());
            case MountException e -> e.category().exitCode();
            default -> ExitCode.SOFTWARE;
        };
    }

    private static String firstLine(Throwable error) {
        String message = error.getMessage();
        if (error instanceof FileSystemException e && e.getFile() != null) {
            return e.getFile() + ": " + Wording.of(e);
        }
        if (error instanceof IOException || error instanceof UncheckedIOException) {
            return Wording.of(error);
        }
        if (message == null || message.isBlank()) {
            return "internal error: " + error + " (run with --debug for details)";
        }
        return message.lines().findFirst().orElse(message).strip();
    }
}
