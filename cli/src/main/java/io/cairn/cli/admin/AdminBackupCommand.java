package io.cairn.cli.admin;

import io.cairn.base.Wording;
import io.cairn.cli.api.ApiAnswer;
import io.cairn.cli.api.ApiOptions;
import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.master.backup.BackupHead;
import io.cairn.master.backup.BackupReader;
import io.cairn.master.backup.BackupSummary;
import io.cairn.master.backup.Restore;
import io.cairn.master.store.Membership;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.runtime.file.Durable;
import java.io.BufferedInputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.jr.ob.JSON;

/** {@code cairn admin backup}: the metadata of a cluster in a file. */
@Command(
        name = "backup",
        description = {
            "Write all metadata of the running cluster into a file: names, attributes, small"
                    + " contents, settings, hashes of tokens. What is in chunks is not in it.",
            "The file is checked while it is written, and gets its name when it is whole and"
                    + " durable. 'cairn master --restore FILE' makes a master of it."
        },
        footer = {
            "  cairn admin backup /backup/cairn-metadata",
            "  cairn admin backup - | ssh vault 'cat > cairn-metadata'",
            "  cairn admin backup --verify /backup/cairn-metadata",
            "  cairn admin backup --plan                     # what it would hold"
        })
@Calls({"GET /backup", "GET /backup/stream"})
final class AdminBackupCommand implements Callable<Integer> {
    private static final int BUFFER_BYTES = 1 << 20;

    @Mixin private ApiOptions api = new ApiOptions();

    @Parameters(
            paramLabel = "FILE",
            arity = "0..1",
            description = "Where to write it, for its owner only; - for standard output.")
    private String file = "";

    @Option(
            names = "--verify",
            description = "Write nothing: check FILE, without a cluster, and tell what it holds.")
    private boolean verify;

    @Option(names = "--plan", description = "Write nothing: tell what a backup would hold now.")
    private boolean plan;

    @Option(names = "--force", description = "Replace FILE if it exists.")
    private boolean force;

    @Override
    public Integer call() {
        if (plan) {
            ApiAnswer now = api.ask(ApiRequest.of("GET /backup"));
            if (api.isJson()) {
                api.printDocument(now.text());
            } else {
                api.print(lines("a backup now", now.document()));
            }
        } else if (file.isEmpty()) {
            throw new CommandException(
                    ExitCode.USAGE, "name the FILE to write, or - for standard output");
        } else if (verify) {
            print(verified(Path.of(file)), "whole");
        } else if (file.equals("-")) {
            toStandardOutput();
        } else {
            print(write(Path.of(file).toAbsolutePath()), "written");
        }
        return ExitCode.OK;
    }

    /**
     * The bytes have it for themselves; a stream for text would not tell that nobody reads them.
     */
    private void toStandardOutput() {
        try (OutputStream out = new FileOutputStream(FileDescriptor.out)) {
            lines(file + ": written", document(receive(out))).forEach(api.errors()::println);
            api.errors().flush();
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.IO_ERROR, "the backup cannot be written: " + Wording.of(e), e);
        }
    }

    private static BackupSummary verified(Path path) {
        try {
            return Restore.verify(path);
        } catch (FileSystemException e) {
            throw new CommandException(
                    ExitCode.NO_INPUT, path + " cannot be read: " + Wording.of(e), e);
        } catch (IOException e) {
            throw new CommandException(
                    Files.exists(path) ? ExitCode.DATA : ExitCode.NO_INPUT, Wording.of(e), e);
        }
    }

    private BackupSummary write(Path path) {
        if (!force && Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new CommandException(
                    ExitCode.CANNOT_CREATE, path + " exists; choose another name, or --force");
        }
        Path partial = path.resolveSibling("." + path.getFileName() + ".partial");
        try {
            BackupSummary summary = Durable.create(partial, this::receive);
            Durable.rename(partial, path);
            return summary;
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.CANNOT_CREATE, path + " cannot be made: " + Wording.of(e), e);
        } finally {
            discard(partial);
        }
    }

    private static void discard(Path partial) {
        try {
            Files.deleteIfExists(partial);
        } catch (IOException e) {
            // The failure that led here is told.
        }
    }

    /** Hands the stream on, and checks every byte of it. */
    private BackupSummary receive(OutputStream out) {
        ApiRequest request = ApiRequest.of("GET /backup/stream");
        try (InputStream stream = api.open(request, "application/octet-stream")) {
            Copying copying = new Copying(new BufferedInputStream(stream, BUFFER_BYTES), out);
            BackupSummary summary =
                    new BackupReader("what the master sent", copying).readAll((_, _, _) -> {});
            out.flush();
            return summary;
        } catch (Unwritable e) {
            throw new CommandException(
                    ExitCode.IO_ERROR, "the backup cannot be written: " + Wording.of(e.told), e);
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.TEMPORARY,
                    "the backup broke off (%s); nothing of it counts: try again"
                            .formatted(Wording.of(e)),
                    e);
        }
    }

    private static final class Unwritable extends IOException {
        private static final long serialVersionUID = 1L;

        private final transient IOException told;

        Unwritable(IOException told) {
            super(told);
            this.told = told;
        }
    }

    /** Writes what is read. */
    private static final class Copying extends FilterInputStream {
        private final OutputStream out;

        Copying(InputStream in, OutputStream out) {
            super(in);
            this.out = out;
        }

        @Override
        public int read() throws IOException {
            byte[] single = new byte[1];
            return read(single, 0, 1) < 0 ? -1 : single[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int count) throws IOException {
            int read = super.read(bytes, offset, count);
            if (read > 0) {
                try {
                    out.write(bytes, offset, read);
                } catch (IOException e) {
                    throw new Unwritable(e);
                }
            }
            return read;
        }
    }

    private void print(BackupSummary summary, String what) {
        if (api.isJson()) {
            api.printDocument(JSON.std.asString(document(summary)));
        } else {
            api.print(lines(file + ": " + what, document(summary)));
        }
    }

    private static Map<String, Object> document(BackupSummary summary) {
        BackupHead head = summary.head();
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("cluster", Membership.text(head.clusterId()));
        document.put("takenAt", Instant.ofEpochMilli(head.takenMs()).toString());
        document.put("term", head.term());
        document.put("index", head.index());
        document.put("level", head.level());
        document.put("release", head.release());
        document.put("records", summary.records());
        document.put("bytes", summary.bytes());
        document.put("sha256", summary.sha256Text());
        return document;
    }

    private List<String> lines(String title, Map<String, Object> document) {
        List<String> lines = new ArrayList<>();
        lines.add(title);
        document.forEach(
                (name, value) ->
                        lines.add("  %-9s %s".formatted(name, api.values().text(name, value))));
        return lines;
    }
}
