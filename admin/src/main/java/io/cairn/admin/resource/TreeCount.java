package io.cairn.admin.resource;

import io.cairn.admin.api.Json;
import io.cairn.cluster.Inode;
import io.cairn.fs.Attributes;
import io.cairn.fs.DirectoryEntry;
import io.cairn.metadata.Namespace;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;

/** Counts what is in a tree, up to a limit: for plans. */
public final class TreeCount {
    /** Names that are counted at most. */
    public static final int MAX_NAMES = 10_000;

    private static final int PAGE = 1000;

    private final Namespace namespace;
    private final Deque<Long> directories = new ArrayDeque<>();
    private long names;
    private long files;
    private long directoryCount;
    private long others;
    private long sizeBytes;

    private TreeCount(Namespace namespace) {
        this.namespace = namespace;
    }

    /** The names, files, directories and bytes of a tree; {@code complete} tells whether all. */
    public static Map<String, Object> of(Namespace namespace, Inode root) {
        TreeCount count = new TreeCount(namespace);
        count.add(root.attributes());
        while (!count.directories.isEmpty() && count.names < MAX_NAMES) {
            count.list(count.directories.removeFirst());
        }
        Map<String, Object> document = Json.map();
        document.put("names", count.names);
        document.put("files", count.files);
        document.put("directories", count.directoryCount);
        document.put("others", count.others);
        document.put("sizeBytes", count.sizeBytes);
        document.put("complete", count.directories.isEmpty() && count.names < MAX_NAMES);
        return document;
    }

    private void add(Attributes a) {
        names++;
        if (a.isDirectory()) {
            directoryCount++;
            directories.add(a.ino());
        } else if (a.isFile()) {
            files++;
            sizeBytes += a.size();
        } else {
            others++;
        }
    }

    private void list(long ino) {
        long cookie = 0;
        while (names < MAX_NAMES) {
            Reply reply = namespace.read(0, new Query.ReadDirectory(ino, cookie, PAGE, true));
            if (!(reply instanceof Reply.DirectoryReply page)) {
                return; // removed just now
            }
            for (DirectoryEntry entry : page.entries()) {
                Attributes attributes = entry.attributes();
                if (attributes != null) {
                    add(attributes);
                }
                cookie = entry.cookie();
            }
            if (page.end()) {
                return;
            }
        }
    }
}
