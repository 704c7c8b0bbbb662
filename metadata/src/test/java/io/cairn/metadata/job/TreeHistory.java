package io.cairn.metadata.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.metadata.Bench;
import io.cairn.metadata.JobBench;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.ContentMutation.SnapshotMutation;
import io.cairn.wire.master.InodeEdit;
import io.cairn.wire.master.JobMutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

/** A random tree {@code /t} that clients change, and what a clone of it has to be like. */
final class TreeHistory {
    private static final int CHUNK_LOG2 = 16;
    private static final FileType[] SPECIAL = {
        FileType.FIFO, FileType.CHARACTER_DEVICE, FileType.BLOCK_DEVICE, FileType.SOCKET
    };

    final Bench bench = Bench.withPools(1);
    final JobBench jobs = new JobBench(bench);
    final long root;
    private final Random random;
    private int names;

    TreeHistory(long seed) {
        random = new Random(seed);
        root = bench.mkdir(Bench.ROOT, "t").ino();
        InodeEdit small = InodeEdit.policy(InodeEdit.CHUNK_SIZE, new Policy(0, CHUNK_LOG2, -1));
        assertInstanceOf(
                Reply.EntryReply.class, bench.leader(new JobMutation.EditInode(root, 0, small)));
    }

    /** A number of a snapshot of the tree as it is now. */
    int take() {
        Name name = Name.of("s" + names++);
        bench.leader(new SnapshotMutation.BeginSnapshot(root, name));
        int number = Objects.requireNonNull(bench.namespace.snapshotStatus().begun()).number();
        assertEquals(new Reply.Done(), bench.leader(new SnapshotMutation.FinishSnapshot(number)));
        return number;
    }

    /** Somebody changes something in the tree; what is impossible does not happen. */
    void change() {
        bench.nowNs += 1000;
        List<Inode> directories = new ArrayList<>();
        List<Inode> others = new ArrayList<>();
        List<Inode> parents = new ArrayList<>();
        List<Name> namesOfOthers = new ArrayList<>();
        collect(bench.inode(root), directories, parents, others, namesOfOthers);
        Inode in = directories.get(random.nextInt(directories.size()));
        if (others.isEmpty() || random.nextInt(3) == 0) {
            make(in.ino());
            return;
        }
        int at = random.nextInt(others.size());
        Inode inode = others.get(at);
        long parentIno = parents.get(at).ino();
        Name name = namesOfOthers.get(at);
        Name fresh = Name.of("m" + names++);
        switch (random.nextInt(in.ino() == root ? 9 : 11)) {
            case 0, 1 -> bench.as(1, new TreeMutation.Unlink(parentIno, name));
            case 2 -> rename(parentIno, name, in.ino(), fresh);
            case 3 -> write(inode);
            case 9 -> bench.as(1, new TreeMutation.Rmdir(in.parentIno(), nameOf(in)));
            case 10 -> {
                Inode to = directories.get(random.nextInt(directories.size()));
                rename(in.parentIno(), nameOf(in), to.ino(), fresh);
            }
            case 4, 5 -> bench.as(1, new TreeMutation.Link(inode.ino(), in.ino(), fresh));
            case 6 -> edit(inode);
            case 7 -> edit(in);
            case 8 -> bench.as(1, new TreeMutation.Link(inode.ino(), Bench.ROOT, fresh));
            default -> write(inode);
        }
    }

    private void rename(long parentIno, Name name, long toIno, Name fresh) {
        bench.as(1, new TreeMutation.Rename(parentIno, name, toIno, fresh, 0, 0, 0));
    }

    private Name nameOf(Inode directory) {
        Reply path = bench.read(new Query.GetPath(directory.ino()));
        String text =
                new String(
                        assertInstanceOf(Reply.BytesReply.class, path).bytes(),
                        StandardCharsets.UTF_8);
        return Name.of(text.substring(text.lastIndexOf('/') + 1));
    }

    private void make(long parentIno) {
        String text = "n".repeat(1 + random.nextInt(3)) + names++;
        Name name = Name.of(text);
        switch (random.nextInt(6)) {
            case 0, 1 -> bench.mkdir(parentIno, text);
            case 2 -> {
                byte[] target = ("to/" + text).getBytes(StandardCharsets.UTF_8);
                bench.ok(new TreeMutation.Symlink(parentIno, name, target, 1, 2));
            }
            case 3 -> {
                FileType type = SPECIAL[random.nextInt(SPECIAL.length)];
                byte[] none = {};
                bench.ok(
                        new TreeMutation.Create(
                                parentIno, name, type, 0600, 3, 4, 77, false, 0, none, false));
            }
            case 4 -> bench.create(parentIno, text, "x".repeat(random.nextInt(600)));
            default -> write(bench.create(parentIno, text));
        }
    }

    private void write(Inode inode) {
        if (!inode.attributes().isFile()) {
            return;
        }
        long sizeBytes = 1L + random.nextInt(1 << 18);
        if (inode.inline() != null) {
            long version = inode.attributes().version();
            bench.as(
                    1,
                    new ContentMutation.Spill(
                            inode.ino(), version, sizeBytes, bench.nowNs, sizeBytes));
        } else {
            bench.as(
                    1,
                    new TreeMutation.SetAttributes(
                            inode.ino(), AttributeChange.NONE.withSize(sizeBytes)));
        }
    }

    private void edit(Inode inode) {
        AttributeChange change =
                switch (random.nextInt(5)) {
                    case 0 -> AttributeChange.NONE.withMode(random.nextInt(01000));
                    case 1 -> AttributeChange.NONE.withUid(random.nextInt(100));
                    case 2 -> AttributeChange.NONE.withMtime(random.nextInt()).withAtime(5);
                    case 3 ->
                            AttributeChange.NONE.withFlags(
                                    Attributes.ALL_FLAGS,
                                    random.nextInt(4) == 0 ? Attributes.NODUMP : 0);
                    default -> AttributeChange.NONE;
                };
        bench.as(1, new TreeMutation.SetAttributes(inode.ino(), change));
        byte[] attribute = ("user.a" + random.nextInt(5)).getBytes(StandardCharsets.UTF_8);
        byte[] value = new byte[random.nextInt(40)];
        Arrays.fill(value, (byte) names);
        bench.as(1, new TreeMutation.SetXattr(inode.ino(), attribute, value, 0));
    }

    private void collect(
            Inode directory,
            List<Inode> directories,
            List<Inode> parents,
            List<Inode> others,
            List<Name> names) {
        directories.add(directory);
        entries(directory.ino())
                .forEach(
                        (name, ino) -> {
                            Inode inode = bench.inode(ino);
                            if (inode.attributes().isDirectory()) {
                                collect(inode, directories, parents, others, names);
                            } else {
                                parents.add(directory);
                                others.add(inode);
                                names.add(Name.of(name));
                            }
                        });
    }

    private SortedMap<String, Long> entries(long ino) {
        SortedMap<String, Long> entries = new TreeMap<>();
        Reply reply = bench.read(new Query.ReadDirectory(ino, 0, 10_000, false));
        Reply.DirectoryReply page = assertInstanceOf(Reply.DirectoryReply.class, reply);
        page.entries().forEach(entry -> entries.put(entry.name().toString(), entry.ino()));
        return entries;
    }

    /** Path -> all that a clone has to take over, of a directory that lives or is past. */
    SortedMap<String, String> describe(long ino) {
        SortedMap<String, String> tree = new TreeMap<>();
        describe("", ino, new HashMap<>(), tree);
        return tree;
    }

    private void describe(
            String path, long ino, Map<Long, String> first, SortedMap<String, String> tree) {
        Inode inode = bench.inodeOf(new Query.GetInode(ino));
        Attributes a = inode.attributes();
        StringBuilder text = new StringBuilder();
        text.append(a.type()).append(' ').append(Integer.toOctalString(a.mode()));
        text.append(' ').append(a.uid()).append(':').append(a.gid()).append(' ').append(a.rdev());
        text.append(" size ").append(a.size()).append('/').append(a.usedBytes());
        text.append(" times ").append(a.mtimeNs()).append(' ').append(a.atimeNs());
        text.append(" flags ").append(a.flags()).append(' ').append(inode.policy());
        text.append(" same as ").append(first.computeIfAbsent(ino, _ -> path));
        text.append(' ').append(contents(inode)).append(' ').append(xattrs(ino));
        tree.put(path, text.toString());
        if (a.isDirectory()) {
            entries(ino).forEach((name, child) -> describe(path + "/" + name, child, first, tree));
        }
    }

    private String xattrs(long ino) {
        Reply reply = bench.read(new Query.ListXattr(ino));
        List<String> found = new ArrayList<>();
        for (byte[] name : assertInstanceOf(Reply.NamesReply.class, reply).names()) {
            Reply value = bench.read(new Query.GetXattr(ino, name));
            found.add(
                    new String(name, StandardCharsets.UTF_8)
                            + Arrays.toString(
                                    assertInstanceOf(Reply.BytesReply.class, value).bytes()));
        }
        return found.toString();
    }

    /** The bytes in the inode, or the objects that have the bytes of its chunks. */
    private static String contents(Inode inode) {
        Layout layout = inode.layout();
        if (inode.inline() != null || layout == null) {
            return Arrays.toString(inode.inline());
        }
        List<Long> objects = new ArrayList<>();
        for (long chunk = 0; chunk << CHUNK_LOG2 < inode.attributes().size(); chunk++) {
            Layout.Run run = layout.runOf(chunk);
            objects.add(layout.isPending(chunk, run.oid()) ? run.sourceOid() : run.oid());
        }
        return "objects " + objects;
    }
}
