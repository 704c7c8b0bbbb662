package io.cairn.admin.resource;

import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Shape;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Labels;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Policy.ClassRule;
import io.cairn.cluster.Policy.Compression;
import io.cairn.cluster.Pool;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileType;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.classes.StorageClasses;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The API's document of an inode. */
public final class InodeDocument {
    private static final Shape POLICY =
            Shape.fields(
                    Field.maybe("replicas", Shape.count(), "Null: the cluster's standard."),
                    Field.maybe("chunkSizeBytes", Shape.count(), "Null: the standard."),
                    Field.maybe("stripe", Shape.count(), "0: all groups; null: the standard."),
                    Field.maybe(
                            "compression",
                            Shape.choice(Compression.texts()),
                            "Of chunks that rest; null: none."),
                    Field.maybe(
                            "inlineLimitBytes",
                            Shape.count(),
                            "Contents up to it may be in the masters; null: the standard."),
                    Field.maybe(
                            "encryption",
                            Shape.choice(List.of(Pool.Kind.CIPHER)),
                            "Of chunks on the disks; null: none."),
                    Field.maybe(
                            "labels",
                            Shape.text(),
                            "Of the chunk servers with the copies; null: any."));

    private static final Shape LAYOUT =
            Shape.fields(
                    Field.of(
                            "inline", Shape.flag(), "Contents live with the name, in the masters."),
                    Field.of(
                            "pool",
                            Shape.count(),
                            "Number of the pool that new chunks go to; 0: none yet."),
                    Field.of("replicas", Shape.count(), "Copies that the pool makes."),
                    Field.of("chunkSizeBytes", Shape.count(), "Of this file."),
                    Field.of("stripe", Shape.count(), "Placement groups in turn; 0: all."),
                    Field.of(
                            "compression",
                            Shape.choice(Compression.texts()),
                            "Of new chunks when they rest."),
                    Field.maybe(
                            "encryption",
                            Shape.choice(List.of(Pool.Kind.CIPHER)),
                            "Of new chunks on the disks; null: none."),
                    Field.of(
                            "labels",
                            Shape.text(),
                            "Of the chunk servers with copies of new chunks, or 'any'."),
                    Field.of("chunks", Shape.count(), "How many chunks; 0 for inline contents."),
                    Field.of(
                            "asPolicy",
                            Shape.flag(),
                            "Whether new contents would be laid out like this."));

    /** Attributes, in documents of one inode and in lists. */
    static final List<Field> ATTRIBUTES =
            List.of(
                    Field.of("ino", Shape.text(), "Inode number, decimal."),
                    Field.of("type", Shape.text(), "file, directory, symlink, fifo, ..."),
                    Field.of("mode", Shape.text(), "Permission bits, octal."),
                    Field.of("uid", Shape.count(), "Owner."),
                    Field.of("gid", Shape.count(), "Group."),
                    Field.of("links", Shape.count(), "Names; of a directory as stat tells."),
                    Field.of("sizeBytes", Shape.count(), "Length."),
                    Field.of("usedBytes", Shape.count(), "What one copy takes."),
                    Field.of("accessedAt", Shape.time(), "Last access."),
                    Field.of("modifiedAt", Shape.time(), "Last change of the contents."),
                    Field.of("changedAt", Shape.time(), "Last change of the inode."));

    private static final List<Field> ONE =
            List.of(
                    Field.of("path", Shape.text(), "Its path."),
                    Field.maybe("pathHex", Shape.text(), "Bytes of a path that is not UTF-8."),
                    Field.maybe("target", Shape.text(), "Of a symbolic link."),
                    Field.maybe("targetHex", Shape.text(), "Bytes of one that is not UTF-8."),
                    Field.maybe("entries", Shape.count(), "Names in a directory."),
                    Field.maybe("policy", POLICY, "What new contents ask for; null: see each."),
                    Field.maybe("effectivePolicy", POLICY, "The same with the standards."),
                    Field.maybe("storageClass", Shape.text(), "That holds for new files here."),
                    Field.maybe("storageClassFrom", Shape.text(), "Where the class was set."),
                    Field.maybe("storageClassRule", Shape.text(), "The rule that chooses it."),
                    Field.maybe("layout", LAYOUT, "How the contents of a file lie."),
                    Field.maybe("chunks", ChunkList.SHAPE, "A page of the chunks of a file."));

    private InodeDocument() {}

    /** The shape of the document of one inode. */
    static Shape shape() {
        List<Field> all = new ArrayList<>(ONE.subList(0, 2));
        all.addAll(ATTRIBUTES);
        all.addAll(ONE.subList(2, ONE.size()));
        return Shape.fields(all.toArray(Field[]::new));
    }

    /** Puts attributes into a document. */
    static void put(Map<String, Object> document, Attributes a) {
        document.put("ino", String.valueOf(a.ino()));
        document.put("type", text(a.type()));
        document.put("mode", String.format("%04o", a.mode()));
        document.put("uid", Integer.toUnsignedLong(a.uid()));
        document.put("gid", Integer.toUnsignedLong(a.gid()));
        document.put("links", a.shownLinks());
        document.put("sizeBytes", a.size());
        document.put("usedBytes", a.usedBytes());
        document.put("accessedAt", time(a.atimeNs()));
        document.put("modifiedAt", time(a.mtimeNs()));
        document.put("changedAt", time(a.ctimeNs()));
    }

    /** The word for a type. */
    public static String text(FileType type) {
        return type.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** A time in nanoseconds since the epoch. */
    public static String time(long ns) {
        return Instant.ofEpochSecond(
                        Math.floorDiv(ns, 1_000_000_000L), Math.floorMod(ns, 1_000_000_000L))
                .toString();
    }

    /** All of one inode but its chunks. */
    static Map<String, Object> of(Namespace namespace, TreePath found) {
        Inode inode = found.inode();
        Layout layout = inode.layout();
        ClusterMap map = namespace.clusterMap();
        int copies = layout == null ? 0 : map.copies(layout);
        Pool.Kind kind = layout == null ? Pool.Kind.PLAIN : map.kind(layout);
        Map<String, Object> document = of(found.path(), inode, copies, kind);
        if (document.containsKey("policy")) {
            Policy policy = effective(namespace, asked(namespace, inode));
            document.put("effectivePolicy", EditFields.policy(policy));
        }
        putClass(document, namespace, inode.ino());
        if (document.get("layout") instanceof Map<?, ?> known) {
            Map<String, Object> whole = Json.map();
            known.forEach((name, value) -> whole.put(String.valueOf(name), value));
            whole.put("asPolicy", namespace.isLaidOutAs(inode, inode.policy()));
            document.put("layout", whole);
        }
        return document;
    }

    /** What new files get where there are no others: of a directory its class goes first. */
    private static Policy asked(Namespace namespace, Inode inode) {
        StorageClasses.Assignment held =
                inode.attributes().isDirectory() ? namespace.classes().of(inode.ino()) : null;
        if (held == null) {
            return inode.policy();
        }
        return namespace.classes().all().stream()
                .filter(each -> each.name().equals(held.name()))
                .findFirst()
                .map(each -> each.policy().orElse(inode.policy()))
                .orElse(inode.policy());
    }

    private static void putClass(Map<String, Object> document, Namespace namespace, long ino) {
        StorageClasses.Assignment held = namespace.classes().of(ino);
        if (held != null) {
            document.put("storageClass", held.name());
            ClassRule rule = held.rule();
            if (rule != null) {
                document.put("storageClassRule", TreePath.textOf(namespace, rule));
            } else {
                document.put("storageClassFrom", TreePath.textOf(namespace, held.ino()));
            }
        }
    }

    /**
     * A client's facts of an inode, in the same form: all but those that only masters know.
     *
     * @param path in the cluster
     * @param copies of every chunk at least; 0 when that is not known
     * @param kind of the pool of new chunks
     */
    public static Map<String, Object> of(byte[] path, Inode inode, int copies, Pool.Kind kind) {
        Map<String, Object> document = Json.map();
        TreePath.put(document, "path", path);
        put(document, inode.attributes());
        byte[] inline = inode.inline();
        Layout layout = inode.layout();
        switch (inode.attributes().type()) {
            case SYMLINK -> TreePath.put(document, "target", inline == null ? new byte[0] : inline);
            case DIRECTORY -> {
                document.put("entries", inode.entryCount());
                document.put("policy", EditFields.policy(inode.policy()));
            }
            case FILE -> {
                if (layout == null) {
                    throw new IllegalStateException("file " + inode.ino() + " has no layout");
                }
                document.put("policy", EditFields.policy(inode.policy()));
                document.put("layout", layout(inode, layout, copies, kind));
            }
            default -> {
                // Attributes are all there is.
            }
        }
        return document;
    }

    private static Policy effective(Namespace namespace, Policy policy) {
        return policy.orElse(
                new Policy(namespace.standardReplicas(), Layout.STANDARD_CHUNK_SIZE_LOG2, 0)
                        .with(Compression.NONE)
                        .withInline(namespace.inlineLimitBytes())
                        .with(Labels.Expression.ANY));
    }

    private static Map<String, Object> layout(
            Inode inode, Layout layout, int copies, Pool.Kind kind) {
        Map<String, Object> document = Json.map();
        document.put("inline", inode.inline() != null);
        document.put("pool", layout.lastRun().poolId());
        document.put("replicas", copies);
        document.put("chunkSizeBytes", layout.chunkSizeBytes());
        document.put("stripe", layout.stripeWidth());
        document.put("labels", kind.labels().text());
        document.put("compression", kind.compression().text());
        document.put("encryption", kind.cipher());
        document.put("chunks", ChunkList.count(inode));
        return document;
    }
}
