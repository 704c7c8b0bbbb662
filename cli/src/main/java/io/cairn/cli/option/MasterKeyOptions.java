package io.cairn.cli.option;

import io.cairn.base.Wording;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.ProcessContext;
import io.cairn.seal.MasterKey;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Where a service gets the master key, which wraps the keys of encrypted storage classes. */
public final class MasterKeyOptions {
    private static final String FILE = "--master-key-file";
    private static final String COMMAND = "--master-key-command";

    private static final String FORMER_FILE = "--former-master-key-file";
    private static final String FORMER_COMMAND = "--former-master-key-command";

    @ArgGroup(exclusive = true)
    private @Nullable From from;

    @ArgGroup(exclusive = true)
    private @Nullable Former former;

    /** One of the two. */
    static final class From {
        @Option(
                names = FILE,
                paramLabel = "FILE",
                description =
                        "Holds the master key for storage classes that are encrypted at rest: 64"
                                + " hexadecimal digits, as 'openssl rand -hex 32' makes them"
                                + " (docs/encryption.md).")
        private @Nullable Path file;

        @Option(
                names = COMMAND,
                paramLabel = "COMMAND",
                description =
                        "Writes the master key to its output; run by /bin/sh at each start, such as"
                                + " a client of a key server.")
        private @Nullable String command;
    }

    /** One of the two. */
    static final class Former {
        @Option(
                names = FORMER_FILE,
                paramLabel = "FILE",
                description =
                        "Holds the master key before the present one, until 'cairn class keys"
                                + " rewrap' was done.")
        private @Nullable Path file;

        @Option(
                names = FORMER_COMMAND,
                paramLabel = "COMMAND",
                description = "Writes the master key before the present one to its output.")
        private @Nullable String command;
    }

    /** Whether there is to be a key. */
    public boolean isGiven() {
        return from != null;
    }

    /**
     * Reads the key, if there is one, before services of a process begin.
     *
     * @throws CommandException with CONFIG when there is to be one, and none is found
     */
    public void apply(ProcessContext world) {
        From source = from;
        Former before = former;
        if (source == null) {
            if (before != null) {
                throw new CommandException(
                        ExitCode.USAGE, "a former master key needs the present one: give " + FILE);
            }
            return;
        }
        try {
            MasterKey key = read(source.file, source.command);
            world.encryptWith(before == null ? key : key.after(read(before.file, before.command)));
        } catch (IOException e) {
            throw new CommandException(ExitCode.CONFIG, "no master key: " + Wording.of(e), e);
        }
    }

    private static MasterKey read(@Nullable Path file, @Nullable String command)
            throws IOException {
        if (file != null) {
            return MasterKey.ofFile(file);
        }
        if (command != null) {
            return MasterKey.ofCommand(command);
        }
        throw new IOException("there is neither a file nor a command");
    }

    /** The options once more, for a process that this one starts. */
    public List<String> arguments() {
        List<String> all = new ArrayList<>();
        From source = from;
        if (source != null) {
            add(all, FILE, source.file, COMMAND, source.command);
        }
        Former before = former;
        if (before != null) {
            add(all, FORMER_FILE, before.file, FORMER_COMMAND, before.command);
        }
        return all;
    }

    private static void add(
            List<String> all,
            String fileName,
            @Nullable Path file,
            String commandName,
            @Nullable String command) {
        if (file != null) {
            all.addAll(List.of(fileName, file.toAbsolutePath().toString()));
        } else if (command != null) {
            all.addAll(List.of(commandName, command));
        }
    }
}
