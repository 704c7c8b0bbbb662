package io.cairn.cli;

import com.fasterxml.jackson.jr.ob.JSON;
import io.cairn.base.Wording;
import io.cairn.cli.api.ApiRequest;
import io.cairn.client.chunk.FilePlacement;
import io.cairn.cluster.Layout;
import io.cairn.fs.Attributes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
    public Integer call() throws IOException {
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
            System.out.println(JSON.std.asString(document(placement)));
        } else {
            print(given, placement);
        }
        return ExitCode.OK;
    }

    private static void print(String path, FilePlacement placement) {
        Attributes a = placement.inode().attributes();
        System.out.printf(
                "%s: inode %d, %s, %s, version %d%n",
                path,
                a.ino(),
                a.type().name().toLowerCase(java.util.Locale.ROOT),
                Wording.count(a.size(), "byte"),
                a.version());
        Layout layout = placement.inode().layout();
        byte[] inline = placement.inode().inline();
        if (layout == null) {
            return;
        }
        System.out.printf(
                "chunks of %s, pool %d, %s%n",
                ByteSize.format(layout.chunkSizeBytes()),
                layout.poolId(),
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

    private static String describe(FilePlacement.Replica replica) {
        String where =
                String.format(
                        "%-8s target %-3d %-12s",
                        replica.server(), replica.targetId(), replica.member());
        if (replica.state() == null) {
            return where + " does not answer";
        }
        return where
                + String.format(
                        " write %d, %s, %s on disk",
                        replica.state().sequence(),
                        ByteSize.format(replica.state().lengthBytes()),
                        ByteSize.format(replica.allocatedBytes()));
    }

    private static Map<String, Object> document(FilePlacement placement) {
        Attributes a = placement.inode().attributes();
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("ino", a.ino());
        document.put("type", a.type().name());
        document.put("sizeBytes", a.size());
        document.put("usedBytes", a.usedBytes());
        document.put("nlink", a.shownLinks());
        document.put("version", a.version());
        document.put("policy", FsGetCommand.document(placement.inode().policy()));
        Layout layout = placement.inode().layout();
        if (layout != null) {
            document.put("pool", layout.poolId());
            document.put("chunkSizeBytes", layout.chunkSizeBytes());
            document.put("inline", placement.inode().inline() != null);
            List<Object> chunks = new ArrayList<>();
            placement.chunks().forEach(c -> chunks.add(chunk(c)));
            document.put("chunks", chunks);
        }
        return document;
    }

    private static Map<String, Object> chunk(FilePlacement.Chunk chunk) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("index", chunk.index());
        document.put("oid", Long.toHexString(chunk.oid()));
        document.put("placementGroup", chunk.group());
        document.put("epoch", chunk.epoch());
        List<Object> replicas = new ArrayList<>();
        for (FilePlacement.Replica replica : chunk.replicas()) {
            Map<String, Object> each = new LinkedHashMap<>();
            each.put("server", replica.server());
            each.put("target", replica.targetId());
            each.put("state", replica.member().name());
            if (replica.state() != null) {
                each.put("sequence", replica.state().sequence());
                each.put("writtenInEpoch", replica.state().epoch());
                each.put("lengthBytes", replica.state().lengthBytes());
                each.put("allocatedBytes", replica.allocatedBytes());
            }
            replicas.add(each);
        }
        document.put("replicas", replicas);
        return document;
    }
}
