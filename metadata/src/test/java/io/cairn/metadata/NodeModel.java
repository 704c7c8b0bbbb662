package io.cairn.metadata;

import io.cairn.cluster.DirectoryState;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.fs.Acls;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.metadata.content.LayoutChoice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** An inode of the model: a plain object that points to its children. */
final class NodeModel {
    /** Chunks looked at one by one; the last one stands for all beyond. */
    static final int CHUNKS = 24;

    static final int CHUNK_SIZE_LOG2 = 16;
    static final long CHUNK_BYTES = 1L << CHUNK_SIZE_LOG2;

    /** Where one chunk is. */
    record Chunk(long oid, long sourceOid, long sourceLengthBytes) {
        /** With the clone made: of a file that was cut inside its first chunk the length stays. */
        Chunk cloned(int index) {
            boolean wasCut = index == 0 && sourceLengthBytes < CHUNK_BYTES;
            return new Chunk(oid, 0, wasCut ? sourceLengthBytes : 0);
        }
    }

    final long ino;
    final FileType type;
    int mode;
    int nlink = 1;
    int uid;
    int gid;
    long rdev;
    long size;
    long used;
    long atime;
    long mtime;
    long ctime;
    final long birth;
    long version;
    @Nullable NodeModel parent;

    /** The name in the home; empty for the root and what has no name. */
    String name = "";

    Policy policy = Policy.STANDARD;
    byte @Nullable [] inline;
    int poolId;
    long seed;
    long renewedOid;
    final Chunk[] chunks = new Chunk[CHUNKS];
    long verifier;
    long nameChanges;

    /** Without a name since it was made, and may get one. */
    boolean linkable;

    final Map<String, NodeModel> children = new TreeMap<>();
    final Map<String, byte[]> xattrs = new TreeMap<>();

    NodeModel(long ino, FileType type, long now) {
        this.ino = ino;
        this.type = type;
        atime = now;
        mtime = now;
        ctime = now;
        birth = now;
    }

    boolean isDirectory() {
        return type == FileType.DIRECTORY;
    }

    boolean isFile() {
        return type == FileType.FILE;
    }

    void setInline(byte[] bytes) {
        inline = bytes;
        size = bytes.length;
        used = (bytes.length + 511) / 512 * 512L;
    }

    void setObject(long oid) {
        seed = LayoutChoice.seed(ino);
        renewedOid = 0;
        Arrays.fill(chunks, new Chunk(oid, 0, 0));
    }

    /** Takes what another file has. */
    void takeContents(Inode other, Chunk[] itsChunks) {
        System.arraycopy(itsChunks, 0, chunks, 0, CHUNKS);
        inline = other.inline();
        size = other.attributes().size();
        used = other.attributes().usedBytes();
        policy = other.policy();
        Layout itsLayout = Objects.requireNonNull(other.layout());
        seed = itsLayout.seed();
        renewedOid = itsLayout.renewedOid();
    }

    /** What is below the cut stays; the rest comes under a new object. */
    void cut(long newSize, long newOid) {
        int boundary = (int) (newSize / CHUNK_BYTES);
        long kept = newSize % CHUNK_BYTES;
        Chunk old = chunks[boundary];
        Arrays.fill(chunks, boundary, CHUNKS, new Chunk(newOid, 0, 0));
        if (kept > 0) {
            chunks[boundary] =
                    old.sourceOid == 0
                            ? new Chunk(newOid, old.oid, kept)
                            : new Chunk(
                                    newOid, old.sourceOid, Math.min(old.sourceLengthBytes, kept));
        }
    }

    /** What lies beyond the end comes under a new object. */
    void renewTail(long newOid) {
        if (inline == null) {
            renewedOid = lastOid();
            cut(size, newOid);
            used = Math.min(used, (size + 4095) / 4096 * 4096);
        } else {
            Arrays.fill(chunks, new Chunk(newOid, 0, 0));
        }
    }

    long lastOid() {
        return chunks[CHUNKS - 1].oid;
    }

    private @Nullable Layout layout() {
        if (!isFile()) {
            return null;
        }
        List<Layout.Run> runs = new ArrayList<>();
        for (int i = 0; i < CHUNKS; i++) {
            Chunk chunk = chunks[i];
            if (i == 0 || chunk.oid != chunks[i - 1].oid) {
                runs.add(
                        new Layout.Run(
                                i, poolId, chunk.oid, chunk.sourceOid, chunk.sourceLengthBytes, 0));
            }
        }
        return new Layout(CHUNK_SIZE_LOG2, 0, seed, runs, renewedOid);
    }

    boolean isHome(NodeModel directory, String itsName) {
        return parent == directory && name.equals(itsName);
    }

    void settle(@Nullable NodeModel home, String newName) {
        parent = home;
        name = newName;
    }

    /** The first of its other names becomes the one that counts, by directory and cookie. */
    void settleElsewhere(Collection<NodeModel> all) {
        settle(null, "");
        for (NodeModel each : all) {
            for (Map.Entry<String, NodeModel> child : each.children.entrySet()) {
                boolean isFirst =
                        parent == null || (parent == each && cookie(child.getKey()) < cookie(name));
                if (child.getValue() == this && isFirst) {
                    settle(each, child.getKey());
                }
            }
        }
    }

    private static long cookie(String name) {
        return name.isEmpty() ? 0 : Name.of(name).cookie();
    }

    /** Whether it is in a directory at any depth, or that directory. */
    boolean isBelow(NodeModel ancestor) {
        for (NodeModel at = this; ; at = Objects.requireNonNull(at.parent)) {
            if (at == ancestor) {
                return true;
            }
            if (at.ino == 1) {
                return false;
            }
        }
    }

    Attributes attributes() {
        return new Attributes(
                ino, 1, type, mode, nlink, uid, gid, rdev, size, used, atime, mtime, ctime, version,
                Acls.NONE, birth, 0);
    }

    Inode inode() {
        long parentIno = parent == null ? 0 : parent.ino;
        return new Inode(
                attributes(),
                parentIno,
                cookie(name),
                policy,
                layout(),
                inline,
                children.size(),
                verifier,
                nameChanges);
    }

    DirectoryState directoryState() {
        return new DirectoryState(attributes(), nameChanges, children.size());
    }
}
