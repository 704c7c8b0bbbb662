package io.cairn.cli.fs;

import io.cairn.admin.api.Json;
import io.cairn.admin.resource.InodeDocument;
import io.cairn.client.chunk.FilePlacement;
import io.cairn.cluster.Layout;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The document of {@code /files/{path}} as a client of the cluster can tell it: without what only
 * masters know, and with how far each copy is, which only chunk servers know.
 */
final class FsInfoDocument {
    private FsInfoDocument() {}

    /**
     * The document.
     *
     * @param path in the cluster
     */
    static Map<String, Object> of(byte[] path, FilePlacement placement) {
        Map<String, Object> document =
                InodeDocument.of(path, placement.inode(), placement.copies(), placement.kind());
        Layout layout = placement.inode().layout();
        if (layout != null && document.get("layout") instanceof Map<?, ?> known) {
            List<Object> items = new ArrayList<>();
            placement.chunks().forEach(chunk -> items.add(chunk(chunk, layout)));
            Map<String, Object> page = Json.map();
            page.put("items", items);
            page.put("next", next(placement.chunks(), known.get("chunks")));
            document.put("chunks", page);
        }
        return document;
    }

    private static @Nullable String next(List<FilePlacement.Chunk> told, @Nullable Object count) {
        boolean isAll = !(count instanceof Number number) || told.size() >= number.longValue();
        return isAll ? null : String.valueOf(told.size() - 1);
    }

    private static Map<String, Object> chunk(FilePlacement.Chunk chunk, Layout layout) {
        boolean isKnown = chunk.group() != 0;
        Map<String, Object> document = Json.map();
        document.put("index", chunk.index());
        document.put("offsetBytes", chunk.index() << layout.chunkSizeLog2());
        document.put("oid", Json.hex(chunk.oid()));
        document.put("group", isKnown ? chunk.group() : null);
        document.put("epoch", isKnown ? chunk.epoch() : null);
        List<Object> replicas = new ArrayList<>();
        chunk.replicas().forEach(replica -> replicas.add(replica(replica)));
        document.put("replicas", replicas);
        return document;
    }

    private static Map<String, Object> replica(FilePlacement.Replica replica) {
        Map<String, Object> document = Json.map();
        document.put("target", replica.targetId());
        document.put("server", replica.server());
        document.put("state", replica.member().name().toLowerCase(Locale.ROOT).replace('_', '-'));
        if (replica.state() != null) {
            document.put("sequence", replica.state().sequence());
            document.put("writtenInEpoch", replica.state().epoch());
            document.put("lengthBytes", replica.state().lengthBytes());
            document.put("allocatedBytes", replica.allocatedBytes());
        }
        return document;
    }
}
