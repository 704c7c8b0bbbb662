package io.cairn.client.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.DirectoryState;
import io.cairn.fs.Acls;
import io.cairn.fs.Attributes;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.Reply.DirectoryReply;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * A directory at a master that this mount and others change, and what this mount knows of it:
 * requests are sent, executed and answered in any order.
 */
class KnownDirectoryPropertyTest {
    private static final int NAMES = 6;
    private static final long ABSENT_MS = 1000;

    /** One life of a directory. */
    private static final class Life implements Clock {
        private final Random random;
        private final List<Name> all = new ArrayList<>();
        private final List<Request> requests = new ArrayList<>();

        /** When each state of the master began. */
        private final TreeMap<Long, Set<Name>> history = new TreeMap<>();

        private final Map<Name, Long> names = new HashMap<>();

        /** Names whose last change was one of this mount that it knows to be done; 0: removed. */
        private final Map<Name, Long> certain = new HashMap<>();

        private final Map<Name, Long> changedAt = new HashMap<>();

        private long count;
        private long lastIno = 10;
        private long nowMs = 10_000;
        private int sure;
        private final KnownDirectory directory =
                new KnownDirectory(
                        new KnownDirectory.Shared(
                                this, 3000, ABSENT_MS, new AtomicLong(), new AtomicInteger()));

        Life(long seed) {
            random = new Random(seed);
            for (int i = 0; i < NAMES; i++) {
                all.add(Name.of("n" + i));
            }
            all.sort(Comparator.comparingLong(Name::cookie));
            remember();
            if (random.nextBoolean()) {
                directory.madeEmpty(directory.stamp(), nowMs);
            }
        }

        @Override
        public long nanoTime() {
            return nowMs * 1_000_000;
        }

        @Override
        public long wallNs() {
            return nanoTime();
        }

        private void remember() {
            history.put(nowMs, Set.copyOf(names.keySet()));
        }

        /** Some names more often, so that requests meet. */
        private Name name() {
            return all.get(random.nextInt(1 + random.nextInt(NAMES)));
        }

        /** Something that was sent; executed at the master once, then answered. */
        private abstract class Request {
            final long sentMs = nowMs;
            boolean executed;

            abstract void execute();

            abstract void answer();
        }

        /** Gives a name to a new inode, or takes it away. */
        private final class Change extends Request {
            private final Name name = name();
            private final NameChange change;
            private long ino;
            private long countAfter;
            private boolean failed;

            Change() {
                directory.begin(name);
                change = new NameChange(directory, List.of(name), sentMs);
            }

            @Override
            void execute() {
                boolean remove = names.containsKey(name);
                failed = random.nextInt(10) == 0;
                if (!failed) {
                    ino = remove ? 0 : ++lastIno;
                    countAfter = apply(name, ino);
                }
            }

            @Override
            void answer() {
                try (change) {
                    if (!failed) {
                        change.done(state(countAfter), Map.of(name, ino));
                        if (changedAt.get(name) == countAfter) {
                            certain.put(name, ino);
                        }
                    }
                }
            }
        }

        private long apply(Name name, long ino) {
            if (ino == 0) {
                names.remove(name);
            } else {
                names.put(name, ino);
            }
            certain.remove(name);
            count++;
            changedAt.put(name, count);
            nowMs++;
            remember();
            return count;
        }

        private static DirectoryState state(long count) {
            Attributes a =
                    new Attributes(
                            1,
                            1,
                            FileType.DIRECTORY,
                            0755,
                            2,
                            0,
                            0,
                            0,
                            0,
                            0,
                            0,
                            0,
                            0,
                            count,
                            Acls.NONE,
                            0,
                            0);
            return new DirectoryState(a, count, 1);
        }

        private final class Lookup extends Request {
            private final Name name = name();
            private final long stamp = directory.stamp();
            private long ino;
            private long at;

            @Override
            void execute() {
                ino = names.getOrDefault(name, 0L);
                at = count;
            }

            @Override
            void answer() {
                directory.told(at, sentMs);
                directory.putChild(name, ino, new KnownDirectory.Asked(stamp, sentMs), at);
            }
        }

        private final class Page extends Request {
            private final int from;
            private final KnownDirectory.PageRequest request;
            private DirectoryReply reply;

            Page(int from) {
                this.from = from;
                long cookie = from == 0 ? 0 : all.get(from - 1).cookie();
                request = new KnownDirectory.PageRequest(cookie, directory.stamp(), sentMs, false);
                reply = new DirectoryReply(state(0), List.of(), false);
            }

            @Override
            void execute() {
                List<DirectoryEntry> entries = new ArrayList<>();
                for (Name name : all.subList(from, Math.min(NAMES, from + NAMES / 2))) {
                    Long ino = names.get(name);
                    if (ino != null) {
                        entries.add(
                                new DirectoryEntry(name, name.cookie(), ino, FileType.FILE, null));
                    }
                }
                reply = new DirectoryReply(state(count), entries, from + NAMES / 2 >= NAMES);
            }

            @Override
            void answer() {
                directory.putPage(request, reply);
            }
        }

        void step() {
            int what = random.nextInt(100);
            if (what < 20 && requests.size() < 8) {
                requests.add(new Change());
            } else if (what < 30) {
                requests.add(new Lookup());
            } else if (what < 45) {
                requests.add(new Page(random.nextInt(3) == 0 ? random.nextInt(NAMES) : 0));
                requests.add(new Page(NAMES / 2));
            } else if (what < 47) {
                Name name = name();
                apply(name, names.containsKey(name) ? 0 : ++lastIno);
            } else if (what < 48) {
                directory.forgetAnswers();
            } else if (what < 58) {
                nowMs += random.nextInt(300);
            } else if (!requests.isEmpty()) {
                Request request = requests.get(random.nextInt(requests.size()));
                if (!request.executed) {
                    request.execute();
                    request.executed = true;
                } else {
                    requests.remove(request);
                    request.answer();
                }
            }
            check();
        }

        private void check() {
            boolean isSure = directory.isSure();
            for (Name name : all) {
                long ino = directory.child(name);
                Long own = certain.get(name);
                if (own != null && ino != KnownDirectory.UNKNOWN) {
                    assertEquals(own, ino, () -> name + " was changed here");
                }
                if (ino == KnownDirectory.ABSENT && isSure) {
                    sure++;
                    assertTrue(wasAbsent(name), () -> name + " exists for longer than a second");
                }
            }
        }

        private boolean wasAbsent(Name name) {
            Long first = history.floorKey(nowMs - ABSENT_MS);
            return history.tailMap(first == null ? history.firstKey() : first).values().stream()
                    .anyMatch(state -> !state.contains(name));
        }
    }

    @Property(tries = 1000)
    void neverAbsentWhatThisMountMadeNorWhatExistsForLong(@ForAll long seed) {
        Life life = new Life(seed);
        for (int i = 0; i < 400; i++) {
            life.step();
        }
    }

    @Property(tries = 1)
    void completenessIsReached() {
        int sure = 0;
        for (long seed = 0; seed < 100; seed++) {
            Life life = new Life(seed);
            for (int i = 0; i < 400; i++) {
                life.step();
            }
            sure += life.sure;
        }
        assertTrue(sure > 1000, "sure of " + sure + " absent names only");
    }
}
