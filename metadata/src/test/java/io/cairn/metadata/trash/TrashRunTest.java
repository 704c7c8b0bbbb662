package io.cairn.metadata.trash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.cairn.cluster.Inode;
import io.cairn.fs.Name;
import io.cairn.metadata.Bench;
import io.cairn.wire.master.LeaderMutation.TrashMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random names, removals, restorations and purges. A file is live, in the trash, or gone, and the
 * model knows which; the state has no other idea, and breaks no invariant.
 */
final class TrashRunTest {
    private static final int STEPS = 400;
    private static final long DAY_NS = 86_400_000_000_000L;

    private final Bench bench = Bench.withPools(2);

    /** Names of each live file. */
    private final Map<Long, Integer> live = new HashMap<>();

    private final Set<Long> trashed = new TreeSet<>();
    private final List<Long> directories = new ArrayList<>(List.of(Bench.ROOT));
    private Random random = new Random(0);

    private Name name() {
        return Name.of("n" + random.nextInt(4));
    }

    private long directory() {
        return directories.get(random.nextInt(directories.size()));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void everyFileIsWhereTheModelHasIt(long seed) {
        random = new Random(seed);
        bench.leader(new TrashMutation.SetRetention(0, 3600));
        for (int i = 0; i < STEPS; i++) {
            bench.nowNs += random.nextInt(50) == 0 ? DAY_NS : 1000;
            step(random.nextInt(12));
            if (i % 20 == 0) {
                bench.verify();
            }
            assertEquals(trashed, filesInTrash());
        }
        bench.reopen();
        bench.verify();
        assertEquals(trashed, filesInTrash());
        live.forEach((ino, names) -> assertEquals(names, links(ino)));
    }

    private int links(long ino) {
        return bench.inode(ino).attributes().nlink();
    }

    private Set<Long> filesInTrash() {
        Set<Long> inos = new HashSet<>();
        bench.namespace.trash(TrashQueries.Position.BEGIN, 10_000).records().stream()
                .filter(record -> !record.isDirectory())
                .forEach(record -> inos.add(record.ino()));
        assertEquals(inos.size(), bench.namespace.trashSums().files());
        return inos;
    }

    private void step(int kind) {
        switch (kind) {
            case 0, 1, 2 -> create();
            case 3 -> {
                if (act(new TreeMutation.Mkdir(directory(), name(), 0755, 1, 2))
                        instanceof Reply.EntryReply made) {
                    directories.add(made.inode().ino());
                }
            }
            case 4, 5, 6 -> unlink();
            case 7 -> rmdir();
            case 8 -> rename();
            case 9 -> link();
            case 10 -> restore();
            default -> purge();
        }
    }

    private Reply act(Mutation mutation) {
        return bench.as(1, mutation);
    }

    private void create() {
        Reply reply = act(Bench.creation(directory(), name().toString(), "x"));
        if (reply instanceof Reply.EntryReply made) {
            live.put(made.inode().ino(), 1);
        }
    }

    private void lost(long ino) {
        Integer names = live.remove(ino);
        if (names != null && names > 1) {
            live.put(ino, names - 1);
        } else if (names != null) {
            trashed.add(ino);
        }
    }

    private void unlink() {
        if (act(new TreeMutation.Unlink(directory(), name())) instanceof Reply.EntryReply gone) {
            lost(gone.inode().ino());
        }
    }

    private void rmdir() {
        if (act(new TreeMutation.Rmdir(directory(), name())) instanceof Reply.EntryReply gone) {
            directories.remove(gone.inode().ino());
        }
    }

    private void rename() {
        Reply reply =
                act(new TreeMutation.Rename(directory(), name(), directory(), name(), 0, 0, 0));
        if (reply instanceof Reply.EntryReply moved && moved.replaced() != null) {
            long replaced = moved.replaced().ino();
            directories.remove(replaced);
            lost(replaced);
        }
    }

    private void link() {
        List<Long> inos = new ArrayList<>(live.keySet());
        inos.addAll(trashed);
        if (inos.isEmpty()) {
            return;
        }
        long ino = inos.get(random.nextInt(inos.size()));
        Reply reply = act(new TreeMutation.Link(ino, directory(), name()));
        if (reply instanceof Reply.EntryReply) {
            live.merge(ino, 1, Integer::sum);
        }
    }

    /** Some of the records: files, and directories that were removed. */
    private List<TrashRecord> some() {
        return bench.namespace.trash(TrashQueries.Position.BEGIN, 10_000).records().stream()
                .filter(_ -> random.nextInt(3) == 0)
                .toList();
    }

    private static long[] inos(List<TrashRecord> records) {
        return records.stream().mapToLong(TrashRecord::ino).toArray();
    }

    private void restore() {
        List<TrashRecord> chosen = some();
        Reply reply = bench.leader(new TrashMutation.RestoreTrash(inos(chosen)));
        for (Reply.TrashReply.Made made : assertInstanceOf(Reply.TrashReply.class, reply).made()) {
            Reply found = bench.read(new Query.Lookup(made.parentIno(), made.name()));
            Inode inode = assertInstanceOf(Reply.EntryReply.class, found).inode();
            if (inode.attributes().isDirectory()) {
                directories.add(inode.ino());
            }
        }
        chosen.stream()
                .filter(record -> !record.isDirectory())
                .forEach(
                        record -> {
                            trashed.remove(record.ino());
                            live.put(record.ino(), 1);
                        });
    }

    private void purge() {
        List<TrashRecord> chosen = some();
        bench.leader(new TrashMutation.PurgeTrash(inos(chosen)));
        chosen.forEach(record -> trashed.remove(record.ino()));
    }
}
