package io.cairn.cli.fs;

import static java.util.stream.Collectors.joining;

import io.cairn.admin.api.Json;
import io.cairn.base.Printable;
import io.cairn.base.Wording;
import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.ByteText;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Reading;
import io.cairn.cli.option.Require;
import io.cairn.client.chunk.FilePlacement;
import io.cairn.cluster.Labels;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Policy.Compression;
import io.cairn.cluster.Pool;
import io.cairn.fs.Attributes;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn fs info}: where a file is. */
@Command(
        name = "info",
        description = {
            "Show a file or directory: its inode, its layout, every chunk with the state of its"
                    + " copies.",
            "A path on a mount here is looked at through the cluster of the mount, another path, or"
                    + " one with --api, over the admin API, which also tells owner and policy."
        },
        footer = {
            "  cairn fs info /mnt/cairn/file",
            "  cairn fs info --json --chunks 1000 /mnt/cairn/big",
            "  cairn fs info --ino 4711"
        })
@Calls("GET /files/{path}")
final class FsInfoCommand implements Callable<Integer> {
    @Mixin private Reading reading = new Reading();

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "PATH",
            description = FsFilesCommands.PATH)
    private @Nullable String path;

    @Option(names = "--ino", paramLabel = "N", description = "By inode number, not by path.")
    private @Nullable Long ino;

    @Option(
            names = "--chunks",
            paramLabel = "N",
            defaultValue = "64",
            description = "Show at most so many chunks (default: ${DEFAULT-VALUE}).")
    private int chunks;

    @Option(
            names = "--chunks-after",
            paramLabel = "N",
            description = "Only those after this one; over the admin API.")
    private @Nullable Long chunksAfter;

    @Override
    public Integer call() {
        Require.between("--chunks", chunks, 0, 1_000_000);
        if ((path == null) == (ino == null)) {
            throw new CommandException(ExitCode.USAGE, "give a PATH, or --ino N");
        }
        String given = path;
        ClusterPath place = given == null ? null : ClusterPath.of(given, reading);
        if (given == null || place == null || !place.isHere(reading) || chunksAfter != null) {
            return reading.show(
                    ApiRequest.of("GET /files/{path}", place == null ? "" : place.text())
                            .query("ino", ino)
                            .query("chunks", chunks)
                            .query("chunksAfter", chunksAfter));
        }
        FilePlacement placement;
        try (FsSession session = new FsSession(Path.of(given))) {
            placement = session.files().placement(session.place().required().ino(), chunks);
        }
        if (reading.isJson()) {
            byte[] path = ByteText.bytes(place.text());
            reading.printDocument(Json.text(FsInfoDocument.of(path, placement)));
        } else {
            print(given, placement);
        }
        return ExitCode.OK;
    }

    private static void print(String path, FilePlacement placement) {
        Attributes a = placement.inode().attributes();
        System.out.printf(
                "%s: inode %d, %s, %s, version %d%n",
                Printable.of(path),
                a.ino(),
                a.type().name().toLowerCase(java.util.Locale.ROOT),
                Wording.count(a.size(), "byte"),
                a.version());
        Layout layout = placement.inode().layout();
        byte[] inline = placement.inode().inline();
        if (layout == null) {
            if (a.isDirectory()) {
                FsGetCommand.lines(placement.inode().policy())
                        .forEach(line -> System.out.println("  new files: " + line));
            }
            return;
        }
        System.out.printf(
                "chunks of %s, %s%s%s%s%s, %s%n",
                Wording.bytes(layout.chunkSizeBytes()),
                pools(layout),
                labels(placement.kind().labels()),
                placement.kind().compression() == Compression.NONE
                        ? ""
                        : ", packed with "
                                + placement.kind().compression().text()
                                + " when they rest",
                encryption(placement.kind()),
                inlineLimit(placement.inode().policy()),
                inline != null
                        ? "contents in the inode"
                        : "object " + Long.toHexString(layout.lastOid()));
        for (FilePlacement.Chunk chunk : placement.chunks()) {
            System.out.printf(
                    "  chunk %d of object %x, group %d, epoch %d%n",
                    chunk.index(), chunk.oid(), chunk.group(), chunk.epoch());
            for (FilePlacement.Replica replica : chunk.replicas()) {
                System.out.println("    " + describe(replica));
            }
        }
    }

    private static String labels(Labels.Expression labels) {
        if (labels.isAny()) {
            return "";
        }
        String each = labels.isPerCopy() ? "a copy each " : "";
        return ", " + each + "on chunk servers with " + labels.text();
    }

    private static String encryption(Pool.Kind kind) {
        return kind.key() == 0 ? "" : ", encrypted with key " + kind.key();
    }

    private static String inlineLimit(Policy policy) {
        return policy.inlineBytes() < 0
                ? ""
                : ", inline limit " + Wording.bytes(policy.inlineBytes());
    }

    private static String pools(Layout layout) {
        String ids = layout.pools().stream().map(String::valueOf).collect(joining(", "));
        return ids.isEmpty() ? "no pool" : (layout.pools().size() > 1 ? "pools " : "pool ") + ids;
    }

    private static String describe(FilePlacement.Replica replica) {
        String server = replica.server();
        String where =
                String.format(
                        "%-8s target %-3d %-12s",
                        server == null ? "nowhere" : Printable.of(server),
                        replica.targetId(),
                        replica.member());
        if (replica.state() == null) {
            return where + " does not answer";
        }
        return where
                + String.format(
                        " write %d, %s, %s on disk",
                        replica.state().sequence(),
                        Wording.bytes(replica.state().lengthBytes()),
                        Wording.bytes(replica.allocatedBytes()));
    }
}
