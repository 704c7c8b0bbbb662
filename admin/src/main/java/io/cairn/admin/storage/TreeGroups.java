package io.cairn.admin.storage;

import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Pool;
import io.cairn.fs.DirectoryEntry;
import io.cairn.metadata.Namespace;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The placement groups that hold the files of a tree, up to a number of names. */
final class TreeGroups {
    private static final int MAX_NAMES = 10_000;
    private static final int PAGE = 1000;

    private final Namespace namespace;
    private final ClusterMap map;
    private final Map<Integer, PlacementGroup> groups = new TreeMap<>();
    private final Deque<Long> directories = new ArrayDeque<>();
    private int names;

    private TreeGroups(Namespace namespace, ClusterMap map) {
        this.namespace = namespace;
        this.map = map;
    }

    /** Those of a file, or of all that is in a directory. */
    static TreeGroups of(Namespace namespace, ClusterMap map, Inode root) {
        TreeGroups tree = new TreeGroups(namespace, map);
        tree.add(root);
        while (!tree.directories.isEmpty() && tree.names < MAX_NAMES) {
            tree.list(tree.directories.removeFirst());
        }
        return tree;
    }

    Collection<PlacementGroup> groups() {
        return groups.values();
    }

    /** Whether no name was left out. */
    boolean isComplete() {
        return directories.isEmpty() && names < MAX_NAMES;
    }

    private void list(long ino) {
        long cookie = 0;
        while (names < MAX_NAMES) {
            Reply reply = namespace.read(0, new Query.ReadDirectory(ino, cookie, PAGE, false));
            if (!(reply instanceof Reply.DirectoryReply page)) {
                return; // removed just now
            }
            for (DirectoryEntry entry : page.entries()) {
                Inode inode = namespace.inode(entry.ino());
                if (inode != null && names < MAX_NAMES) {
                    add(inode);
                }
                cookie = entry.cookie();
            }
            if (page.end()) {
                return;
            }
        }
    }

    private void add(Inode inode) {
        names++;
        Layout layout = inode.layout();
        if (inode.attributes().isDirectory()) {
            directories.add(inode.ino());
        } else if (layout != null && inode.inline() == null && inode.attributes().size() > 0) {
            add(layout, layout.chunkOf(inode.attributes().size() - 1));
        }
    }

    private void add(Layout layout, long last) {
        List<Layout.Run> runs = layout.runs();
        for (int i = 0; i < runs.size(); i++) {
            long from = runs.get(i).firstChunk();
            long end = i + 1 < runs.size() ? runs.get(i + 1).firstChunk() - 1 : last;
            Pool pool = map.pool(runs.get(i).poolId());
            // After as many chunks as the pool has groups they are the same again.
            long most = pool == null ? -1 : from + pool.groupCount() - 1;
            for (long chunk = from; chunk <= Math.min(Math.min(last, end), most); chunk++) {
                PlacementGroup group = map.groupOf(layout, chunk);
                if (group != null) {
                    groups.put(group.id(), group);
                }
            }
        }
    }
}
