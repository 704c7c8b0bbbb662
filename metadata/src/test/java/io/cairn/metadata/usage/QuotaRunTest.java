package io.cairn.metadata.usage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.LimitedAccount;
import io.cairn.fs.quota.Quota;
import io.cairn.fs.quota.Sums;
import io.cairn.metadata.Bench;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random changes and quotas while time passes, now and then backwards, as after a change of the
 * leader. The model computes all sums anew, and knows since when each account is above its soft
 * limits: what it refuses the state refuses, and nothing else.
 */
final class QuotaRunTest {
    private static final int STEPS = 500;
    private static final int MAX_LENGTH = 300;
    private static final long SECOND_NS = 1_000_000_000L;
    private static final int[] USERS = {10, 11};
    private static final int[] GROUPS = {20, 21};

    /** Something with one name; directories have no length. */
    private record Node(
            long ino, long parent, String name, boolean isDirectory, int uid, int gid, long size) {
        Node in(long newParent) {
            return new Node(ino, newParent, name, isDirectory, uid, gid, size);
        }

        Node of(int newUid, int newGid) {
            return new Node(ino, parent, name, isDirectory, newUid, newGid, size);
        }

        Node sized(long newSize) {
            return new Node(ino, parent, name, isDirectory, uid, gid, newSize);
        }

        Sums own() {
            return new Sums(1, size, 0);
        }
    }

    private record Limit(Quota quota, long sinceNs) {}

    private final Bench bench = Bench.withPools(1);
    private final Map<Long, Node> nodes = new TreeMap<>();
    private final Map<Account, Limit> limits = new HashMap<>();
    private Random random = new Random(0);
    private int lastName;
    private int refused;
    private int refusedByTime;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void quotasRefuseWhatTheModelRefuses(long seed) {
        random = new Random(seed);
        for (int i = 0; i < STEPS; i++) {
            pass();
            step(random.nextInt(14));
            follow();
            compare();
            if (i % 50 == 0) {
                bench.reopen();
                bench.verify();
                compare();
            }
        }
        bench.verify();
        assertTrue(refused > refusedByTime, "refused by hard limits: " + refused);
        assertTrue(refusedByTime > 0, "nothing was refused after a grace time");
    }

    private void pass() {
        bench.nowNs +=
                switch (random.nextInt(20)) {
                    case 0 -> 20 * SECOND_NS;
                    case 1, 2, 3 -> SECOND_NS;
                    case 4 -> -SECOND_NS / 2;
                    default -> 1_000_000;
                };
    }

    private void step(int kind) {
        switch (kind) {
            case 0, 1, 2 -> make(false);
            case 3 -> make(true);
            case 4, 5 -> remove();
            case 6 -> move();
            case 7 -> give();
            case 8, 9 -> resize();
            default -> limit();
        }
    }

    // ---- the model

    /** The directories of something, from its own up to the root. */
    private List<Account> above(long directory) {
        List<Account> accounts = new ArrayList<>();
        long at = directory;
        while (at != Bench.ROOT) {
            accounts.add(Account.directory(at));
            at = node(at).parent;
        }
        accounts.add(Account.directory(Bench.ROOT));
        return accounts;
    }

    private Node node(long ino) {
        return Objects.requireNonNull(nodes.get(ino));
    }

    private Map<Account, Sums> sums() {
        Map<Account, Sums> sums = new HashMap<>();
        for (Node node : nodes.values()) {
            add(sums, owners(node), node.own());
            add(sums, above(node.parent), node.own());
        }
        return sums;
    }

    private static List<Account> owners(Node node) {
        return List.of(Account.user(node.uid), Account.group(node.gid));
    }

    private static void add(Map<Account, Sums> sums, List<Account> accounts, Sums more) {
        accounts.forEach(account -> sums.merge(account, more, Sums::plus));
    }

    /** Whether accounts would pass their limits. */
    private boolean isRefused(Map<Account, Sums> more) {
        Map<Account, Sums> sums = sums();
        boolean isHard = false;
        boolean isSoft = false;
        for (Map.Entry<Account, Sums> each : more.entrySet()) {
            Limit limit = limits.get(each.getKey());
            if (limit != null) {
                Sums used = sums.getOrDefault(each.getKey(), Sums.ZERO);
                long sinceNs = limit.sinceNs;
                long graceNs = limit.quota.graceMs() * 1_000_000;
                boolean isOver = sinceNs != 0 && bench.nowNs - sinceNs >= graceNs;
                isHard |= isAbove(used, each.getValue(), limit.quota.hard());
                isSoft |= isOver && isAbove(used, each.getValue(), limit.quota.soft());
            }
        }
        refused += isHard || isSoft ? 1 : 0;
        refusedByTime += isSoft && !isHard ? 1 : 0;
        return isHard || isSoft;
    }

    private static boolean isAbove(Sums used, Sums more, Sums limit) {
        return isAbove(used.inodes(), more.inodes(), limit.inodes())
                || isAbove(used.lengthBytes(), more.lengthBytes(), limit.lengthBytes());
    }

    private static boolean isAbove(long used, long more, long limit) {
        return more > 0 && limit > 0 && used + more > limit;
    }

    /** Who passed a soft limit with this step, and who came below. */
    private void follow() {
        Map<Account, Sums> sums = sums();
        limits.replaceAll(
                (account, limit) -> {
                    Sums used = sums.getOrDefault(account, Sums.ZERO);
                    boolean isAbove = Quota.isAbove(used, limit.quota.soft());
                    long since = limit.sinceNs == 0 ? bench.nowNs : limit.sinceNs;
                    return new Limit(limit.quota, isAbove ? since : 0);
                });
    }

    private void compare() {
        Map<Account, Sums> sums = sums();
        Set<Account> found = new HashSet<>();
        for (LimitedAccount each : bench.namespace.accounts().limited()) {
            Account account = each.account();
            Limit limit = Objects.requireNonNull(limits.get(account), account.toString());
            Sums used = sums.getOrDefault(account, Sums.ZERO);
            assertEquals(limit.quota, each.quota());
            assertEquals(limit.sinceNs, each.sinceNs(), account::toString);
            assertEquals(used.inodes(), each.used().inodes(), account::toString);
            assertEquals(used.lengthBytes(), each.used().lengthBytes(), account::toString);
            found.add(account);
        }
        assertEquals(limits.keySet(), found);
    }

    // ---- what happens

    /** Does something; whether it was done. */
    private boolean isDone(Mutation mutation, Map<Account, Sums> more) {
        boolean isRefused = isRefused(more);
        Reply reply = bench.as(1, mutation);
        Errno errno = reply instanceof Reply.Failure failure ? failure.errno() : null;
        assertEquals(isRefused ? Errno.EDQUOT : null, errno, () -> mutation + ": " + reply);
        return !isRefused;
    }

    private int one(int[] some) {
        return some[random.nextInt(some.length)];
    }

    private List<Node> nodes(boolean isDirectory) {
        return nodes.values().stream().filter(node -> node.isDirectory == isDirectory).toList();
    }

    private Node any(List<Node> some) {
        return some.get(random.nextInt(some.size()));
    }

    private long directory() {
        List<Node> all = nodes(true);
        return all.isEmpty() || random.nextInt(4) == 0 ? Bench.ROOT : any(all).ino;
    }

    private void make(boolean isDirectory) {
        long parent = directory();
        Name name = Name.of("n" + ++lastName);
        int uid = one(USERS);
        int gid = one(GROUPS);
        int size = isDirectory || random.nextInt(3) == 0 ? 0 : random.nextInt(MAX_LENGTH);
        Mutation mutation =
                isDirectory
                        ? new TreeMutation.Mkdir(parent, name, 0755, uid, gid)
                        : new TreeMutation.Create(
                                parent,
                                name,
                                FileType.FILE,
                                0644,
                                uid,
                                gid,
                                0,
                                false,
                                0,
                                new byte[size],
                                false);
        Node made = new Node(0, parent, name.toString(), isDirectory, uid, gid, size);
        Map<Account, Sums> more = new HashMap<>();
        add(more, owners(made), made.own());
        add(more, above(parent), made.own());
        if (isDone(mutation, more)) {
            long ino = bench.inodeOf(new Query.Lookup(parent, name)).ino();
            nodes.put(ino, new Node(ino, parent, name.toString(), isDirectory, uid, gid, size));
        }
    }

    private void remove() {
        List<Node> files =
                nodes.values().stream().filter(each -> !each.isDirectory || isEmpty(each)).toList();
        if (files.isEmpty()) {
            return;
        }
        Node node = any(files);
        Name name = Name.of(node.name);
        Mutation mutation =
                node.isDirectory
                        ? new TreeMutation.Rmdir(node.parent, name)
                        : new TreeMutation.Unlink(node.parent, name);
        assertTrue(isDone(mutation, Map.of()));
        nodes.remove(node.ino);
        limits.remove(Account.directory(node.ino));
    }

    private boolean isEmpty(Node directory) {
        return nodes.values().stream().noneMatch(each -> each.parent == directory.ino);
    }

    private void move() {
        if (nodes.isEmpty()) {
            return;
        }
        Node node = any(List.copyOf(nodes.values()));
        long target = directory();
        if (above(target).contains(Account.directory(node.ino))) {
            return;
        }
        Sums all = node.own();
        for (Node each : nodes.values()) {
            boolean isBelow = above(each.parent).contains(Account.directory(node.ino));
            all = isBelow ? all.plus(each.own()) : all;
        }
        List<Account> entered = new ArrayList<>(above(target));
        entered.removeAll(above(node.parent));
        Map<Account, Sums> more = new HashMap<>();
        add(more, entered, all);
        if (isDone(Bench.renaming(node.parent, node.name, target, node.name, 0), more)) {
            nodes.put(node.ino, node.in(target));
        }
    }

    private void give() {
        if (nodes.isEmpty()) {
            return;
        }
        Node node = any(List.copyOf(nodes.values()));
        Node given = node.of(one(USERS), one(GROUPS));
        List<Account> gaining = new ArrayList<>(owners(given));
        gaining.removeAll(owners(node));
        Map<Account, Sums> more = new HashMap<>();
        add(more, gaining, node.own());
        AttributeChange change = AttributeChange.NONE.withUid(given.uid).withGid(given.gid);
        if (isDone(new TreeMutation.SetAttributes(node.ino, change), more)) {
            nodes.put(node.ino, given);
        }
    }

    private void resize() {
        List<Node> files = nodes(false);
        if (files.isEmpty()) {
            return;
        }
        Node node = any(files);
        Node after = node.sized(random.nextInt(MAX_LENGTH));
        Map<Account, Sums> more = new HashMap<>();
        Sums growth = new Sums(0, after.size - node.size, 0);
        add(more, owners(node), growth);
        add(more, above(node.parent), growth);
        AttributeChange change = AttributeChange.NONE.withSize(after.size);
        if (isDone(new TreeMutation.SetAttributes(node.ino, change), more)) {
            nodes.put(node.ino, after);
        }
    }

    /** Sets a quota, or takes one away. */
    private void limit() {
        Account account =
                switch (random.nextInt(4)) {
                    case 0 -> Account.user(one(USERS));
                    case 1 -> Account.group(one(GROUPS));
                    default -> Account.directory(directory());
                };
        Sums soft = new Sums(random.nextInt(20), random.nextInt(6) * 300L, 0);
        boolean isOpen = random.nextInt(3) == 0;
        Sums hard = isOpen ? Sums.ZERO : soft.plus(new Sums(random.nextInt(9), 300, 0));
        boolean isNone = random.nextInt(5) == 0;
        Quota quota = isNone ? Quota.NONE : new Quota(soft, hard, 1_000L * random.nextInt(30));
        boolean isStrict = random.nextInt(3) == 0;
        Reply reply = bench.leader(new LeaderMutation.SetQuota(account, quota, isStrict));
        if (quota.isNone()) {
            assertInstanceOf(Reply.Done.class, reply);
            limits.remove(account);
            return;
        }
        Sums used = sums().getOrDefault(account, Sums.ZERO);
        if (isStrict && Quota.isAbove(used, hard)) {
            Reply.Failure failure = assertInstanceOf(Reply.Failure.class, reply);
            assertEquals(Errno.EDQUOT, failure.errno());
            return;
        }
        assertInstanceOf(Reply.Done.class, reply);
        Limit before = limits.get(account);
        limits.put(account, new Limit(quota, before == null ? 0 : before.sinceNs));
    }
}
