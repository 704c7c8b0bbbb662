package io.cairn.testkit.model;

import io.cairn.base.FsException;
import io.cairn.fs.HostContact;
import io.cairn.fs.HostLocks;
import io.cairn.fs.HostRecord;
import io.cairn.fs.Lock;
import io.cairn.fs.LockHost;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Locks of machines behind a gateway, over the lock table of the model. Owners of machines get
 * negative numbers, which no door uses. Those who wait are tried in their order after each release
 * through this object, and when they ask again.
 */
final class ModelHostLocks implements HostLocks {
    private record Owner(LockHost host, long owner) {}

    private record Request(HostContact from, long ino, Lock lock) {}

    private final ModelLocks locks;
    private final Map<Owner, Long> numbers = new HashMap<>();
    private final Map<Long, Owner> owners = new HashMap<>();
    private final Map<LockHost, HostContact> contacts = new HashMap<>();
    private final Map<LockHost, Set<Long>> inos = new HashMap<>();
    private final Map<Long, Request> waiting = new LinkedHashMap<>();
    private final Map<Long, Request> granted = new HashMap<>();
    private @Nullable Listener listener;
    private long requests;
    private int state = -1;

    ModelHostLocks(ModelLocks locks) {
        this.locks = locks;
    }

    private Lock numbered(LockHost host, Lock lock) {
        Owner owner = new Owner(host, lock.owner());
        long number = numbers.computeIfAbsent(owner, o -> -1L - numbers.size());
        owners.put(number, owner);
        return withOwner(lock, number);
    }

    private static Lock withOwner(Lock lock, long owner) {
        return new Lock(
                lock.kind(), lock.mode(), owner, lock.startByte(), lock.endByte(), lock.pid());
    }

    @Override
    public synchronized @Nullable Lock test(LockHost host, long ino, Lock wanted) {
        Lock found = locks.test(ino, numbered(host, wanted));
        Owner owner = found == null ? null : owners.get(found.owner());
        return found == null || owner == null ? found : withOwner(found, owner.owner);
    }

    @Override
    public synchronized Outcome set(HostContact from, long ino, Lock lock) {
        Outcome outcome = attempt(from, ino, lock);
        retry();
        return outcome;
    }

    private Outcome attempt(HostContact from, long ino, Lock lock) {
        LockHost host = from.host();
        try {
            locks.set(ino, numbered(host, lock), 0);
        } catch (FsException e) {
            return Outcome.CONFLICT;
        }
        if (lock.mode() != Lock.Mode.UNLOCK) {
            contacts.put(host, from);
            inos.computeIfAbsent(host, h -> new TreeSet<>()).add(ino);
        }
        return Outcome.GRANTED;
    }

    @Override
    public synchronized Outcome enqueue(HostContact from, long ino, Lock lock, long requestId) {
        if (granted.containsKey(requestId)) {
            return Outcome.GRANTED;
        }
        Request request = new Request(from, ino, lock);
        if (attempt(from, ino, lock) == Outcome.GRANTED) {
            waiting.remove(requestId);
            granted.put(requestId, request);
            retry();
            return Outcome.GRANTED;
        }
        waiting.put(requestId, request);
        contacts.putIfAbsent(from.host(), from);
        return Outcome.QUEUED;
    }

    /** Tries those who wait; also after a door has released something. */
    synchronized void retry() {
        Listener hearer = listener;
        for (Map.Entry<Long, Request> entry : List.copyOf(waiting.entrySet())) {
            Request request = entry.getValue();
            if (attempt(request.from, request.ino, request.lock) == Outcome.GRANTED) {
                waiting.remove(entry.getKey());
                granted.put(entry.getKey(), request);
                if (hearer != null) {
                    hearer.granted(entry.getKey());
                }
            }
        }
    }

    @Override
    public synchronized long newRequestId() {
        return ++requests;
    }

    @Override
    public synchronized void cancel(LockHost host, long ino, long requestId) {
        waiting.remove(requestId);
        Request done = granted.remove(requestId);
        if (done != null) {
            Lock lock = done.lock;
            attempt(
                    done.from,
                    ino,
                    new Lock(
                            lock.kind(),
                            Lock.Mode.UNLOCK,
                            lock.owner(),
                            lock.startByte(),
                            lock.endByte(),
                            lock.pid()));
        }
        retry();
    }

    @Override
    public synchronized void release(LockHost host, int exceptState) {
        HostContact known = contacts.get(host);
        if (known == null || (exceptState != 0 && known.state() == exceptState)) {
            return;
        }
        waiting.values().removeIf(request -> request.from.host().equals(host));
        for (long ino : inos.getOrDefault(host, Set.of())) {
            for (Map.Entry<Owner, Long> owner : numbers.entrySet()) {
                if (owner.getKey().host.equals(host)) {
                    for (Lock.Kind kind : Lock.Kind.values()) {
                        locks.release(ino, kind, owner.getValue());
                    }
                }
            }
        }
        inos.remove(host);
        contacts.remove(host);
        retry();
    }

    @Override
    public synchronized List<HostRecord> hosts() {
        List<HostRecord> all = new ArrayList<>();
        contacts.forEach(
                (host, contact) -> {
                    int held = 0;
                    for (Map.Entry<Owner, Long> owner : numbers.entrySet()) {
                        if (owner.getKey().host.equals(host)) {
                            held += locks.heldBy(owner.getValue());
                        }
                    }
                    long waits =
                            waiting.values().stream()
                                    .filter(request -> request.from.host().equals(host))
                                    .count();
                    if (held + waits > 0) {
                        all.add(new HostRecord(contact, 0, held, (int) waits));
                    }
                });
        return all;
    }

    @Override
    public List<HostRecord> hosts(String address) {
        return hosts().stream()
                .filter(host -> host.contact().host().address().equals(address))
                .toList();
    }

    @Override
    public synchronized int takeState() {
        state += 2;
        return state;
    }

    @Override
    public synchronized void listen(Listener newListener) {
        listener = newListener;
    }
}
