package io.cairn.admin.resource;

import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Shape;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.PlacementGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The API's document of the chunks of a file: which group stores each, and where its copies are.
 */
final class ChunkList {
    private static final Shape REPLICA =
            Shape.fields(
                    Field.of("target", Shape.count(), "Number of the storage directory."),
                    Field.maybe("server", Shape.text(), "Name of its chunk server."),
                    Field.of("state", Shape.text(), "serving, syncing, waiting, ..."));

    private static final Shape CHUNK =
            Shape.fields(
                    Field.of("index", Shape.count(), "From 0."),
                    Field.of("offsetBytes", Shape.count(), "Where it begins in the file."),
                    Field.of("oid", Shape.text(), "Its data object, 16 hexadecimal digits."),
                    Field.maybe("group", Shape.count(), "Its placement group."),
                    Field.maybe("epoch", Shape.count(), "Of the group."),
                    Field.of(
                            "replicas",
                            Shape.items(REPLICA),
                            "The first that serves is the head."));

    /** A page of chunks. */
    static final Shape SHAPE =
            Shape.fields(
                    Field.of("items", Shape.items(CHUNK), "Also those of holes, by index."),
                    Field.maybe(
                            "next", Shape.text(), "Give it as 'chunksAfter'; null at the end."));

    private ChunkList() {}

    /** Chunks that the length of a file spans; 0 for contents that live with the name. */
    static long count(Inode inode) {
        Layout layout = inode.layout();
        if (layout == null || inode.inline() != null) {
            return 0;
        }
        long size = inode.attributes().size();
        return size == 0 ? 0 : layout.chunkOf(size - 1) + 1;
    }

    /** The chunks from an index on. */
    static Map<String, Object> page(ClusterMap map, Inode inode, long from, int limit) {
        Layout layout = inode.layout();
        long count = count(inode);
        List<Object> items = new ArrayList<>();
        long index = from;
        while (layout != null && index < count && items.size() < limit) {
            items.add(chunk(map, layout, index));
            index++;
        }
        Map<String, Object> document = Json.map();
        document.put("items", items);
        document.put("next", index < count ? String.valueOf(index - 1) : null);
        return document;
    }

    private static Map<String, Object> chunk(ClusterMap map, Layout layout, long index) {
        PlacementGroup group = map.groupOf(layout, index);
        Map<String, Object> document = Json.map();
        document.put("index", index);
        document.put("offsetBytes", index << layout.chunkSizeLog2());
        document.put("oid", Json.hex(layout.runOf(index).oid()));
        document.put("group", group == null ? null : group.id());
        document.put("epoch", group == null ? null : group.epoch());
        List<Object> replicas = new ArrayList<>();
        if (group != null) {
            for (PlacementGroup.Member member : group.members()) {
                ChunkServer server = map.serverOfTarget(member.targetId());
                Map<String, Object> replica = Json.map();
                replica.put("target", member.targetId());
                replica.put("server", server == null ? null : server.name());
                replica.put(
                        "state", member.state().name().toLowerCase(Locale.ROOT).replace('_', '-'));
                replicas.add(replica);
            }
        }
        document.put("replicas", replicas);
        return document;
    }
}
