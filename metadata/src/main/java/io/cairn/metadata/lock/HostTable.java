package io.cairn.metadata.lock;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.HostContact;
import io.cairn.fs.HostRecord;
import io.cairn.fs.LockHost;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import io.cairn.metadata.state.View;
import io.cairn.wire.Codecs;
import io.cairn.wire.Decoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The machines behind gateways that hold locks or wait for some. In the lock table a machine is a
 * holder as a session is one; its number is negative, which no session's is. A machine is known as
 * long as it has locks or requests, so the limits of those bound this table. Belongs to the apply
 * thread; readers look into the store.
 */
public final class HostTable {
    /** Machines with locks. */
    static final int MAX_HOSTS = 1 << 14;

    /**
     * Machines with locks at one address. Several may be there, behind a NAT or with several names,
     * but one that makes up names must not leave nothing for the others.
     */
    public static final int MAX_HOSTS_PER_ADDRESS = 1 << 10;

    /** Locks of one machine, held and awaited, counted for each owner, file and kind. */
    static final int MAX_LOCKS = 1 << 16;

    private final Transaction transaction;
    private final Map<LockHost, Host> byName = new HashMap<>();
    private final Map<Long, Host> byNumber = new HashMap<>();
    private final Map<String, Integer> byAddress = new HashMap<>();
    private int notifyState;

    /** A machine; the fields are what its record says. */
    private static final class Host {
        final long number;
        final long sinceNs;
        HostContact contact;
        int held;
        int waiting;

        Host(long number, HostContact contact, long sinceNs) {
            this.number = number;
            this.contact = contact;
            this.sinceNs = sinceNs;
        }
    }

    /** A stored machine. */
    public record Stored(long number, HostRecord host) {
        public static Stored decode(byte[] value) {
            Decoder in = Keys.open(Family.HOST, value);
            return new Stored(in.i64(), Codecs.hostRecord(in));
        }
    }

    /** Reads the machines from the store. */
    public HostTable(Store store, Transaction transaction) {
        this.transaction = transaction;
        byte[] value = store.get(Family.META, Keys.notifyState());
        notifyState = value == null ? 0 : stateOf(value);
        byte[] all = {};
        store.scan(
                Family.HOST,
                all,
                all,
                (key, entry) -> {
                    load(Stored.decode(entry));
                    return true;
                });
    }

    private void load(Stored stored) {
        HostRecord told = stored.host;
        Host host = new Host(stored.number, told.contact(), told.sinceNs());
        host.held = told.held();
        host.waiting = told.waiting();
        add(host);
    }

    private void add(Host host) {
        byName.put(host.contact.host(), host);
        byNumber.put(host.number, host);
        byAddress.merge(host.contact.host().address(), 1, Integer::sum);
    }

    /** The state number in a {@code META} value. */
    public static int stateOf(byte[] value) {
        return Keys.open(Family.META, value).i32();
    }

    /** Whether a holder of locks is a machine, not a session. */
    static boolean isHost(long holder) {
        return holder < 0;
    }

    /** The holder that a machine is; 0 when it has no locks. */
    public long find(LockHost name) {
        Host host = byName.get(name);
        return host == null ? 0 : host.number;
    }

    /**
     * Before a request: the holder that the machine is. One without locks is forgotten again by
     * {@link #end} when it still has none.
     *
     * @throws FsException EINVAL for impossible names, ENOLCK when there are too many machines
     */
    public long begin(HostContact from) {
        Host host = byName.get(from.host());
        if (host == null) {
            requireRoom(from);
            long number = Long.MIN_VALUE | transaction.counters().takeTicket();
            host = new Host(number, from, transaction.nowNs());
            add(host);
        }
        return host.number;
    }

    private void requireRoom(HostContact from) {
        LockHost host = from.host();
        if (bytes(host.name()) > 2 * LockHost.MAX_NAME_BYTES
                || bytes(host.address()) > LockHost.MAX_ADDRESS_BYTES
                || bytes(from.server()) > LockHost.MAX_ADDRESS_BYTES) {
            throw new FsException(Errno.EINVAL, "the name of a machine with locks is too long");
        }
        if (byName.size() >= MAX_HOSTS) {
            throw new FsException(
                    Errno.ENOLCK,
                    MAX_HOSTS + " machines have locks: release some (cairn nfs locks)");
        }
        if (byAddress.getOrDefault(host.address(), 0) >= MAX_HOSTS_PER_ADDRESS) {
            throw new FsException(
                    Errno.ENOLCK,
                    MAX_HOSTS_PER_ADDRESS
                            + " machines at "
                            + host.address()
                            + " have locks: release some (cairn nfs locks)");
        }
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    /** After a request, whatever became of it. */
    public void end(long number) {
        Host host = byNumber.get(number);
        if (host != null && host.held + host.waiting == 0) {
            remove(host);
        }
    }

    private void remove(Host host) {
        byNumber.remove(host.number);
        byName.remove(host.contact.host());
        byAddress.computeIfPresent(
                host.contact.host().address(), (_, count) -> count == 1 ? null : count - 1);
    }

    /** Whether a machine tells a state that is younger than the one of its locks. */
    public boolean isReborn(HostContact from) {
        Host host = byName.get(from.host());
        return host != null
                && from.state() != 0
                && host.contact.state() != 0
                && from.state() - host.contact.state() > 0;
    }

    /** Whether a machine is known and was last heard in a state, other than 0. */
    public boolean isIn(LockHost name, int state) {
        Host host = byName.get(name);
        return host != null && state != 0 && host.contact.state() == state;
    }

    /** Takes over what a machine tells of itself. */
    public void learn(long number, HostContact from) {
        Host host = byNumber.get(number);
        if (host == null || host.held + host.waiting == 0) {
            return;
        }
        int old = host.contact.state();
        boolean isOlder = from.state() == 0 || (old != 0 && from.state() - old < 0);
        HostContact now = new HostContact(from.host(), isOlder ? old : from.state(), from.server());
        if (!now.equals(host.contact)) {
            host.contact = now;
            write(host);
        }
    }

    /**
     * A holder may get one more lock.
     *
     * @throws FsException ENOLCK
     */
    void requireRoom(long holder) {
        Host host = byNumber.get(holder);
        if (host != null && host.held + host.waiting >= MAX_LOCKS) {
            throw new FsException(
                    Errno.ENOLCK, host.contact.host() + " has " + MAX_LOCKS + " locks");
        }
    }

    /** A holder has so many more locks of one owner and file; nothing happens for sessions. */
    void countHeld(long holder, int more) {
        Host host = byNumber.get(holder);
        if (host != null && more != 0) {
            host.held += more;
            write(host);
        }
    }

    /** A holder has so many more requests that wait; nothing happens for sessions. */
    void countWaiting(long holder, int more) {
        Host host = byNumber.get(holder);
        if (host != null && more != 0) {
            host.waiting += more;
            write(host);
        }
    }

    private void write(Host host) {
        byte[] key = Keys.host(host.contact.host());
        if (host.held + host.waiting == 0) {
            transaction.records().delete(Family.HOST, key);
            return;
        }
        var out = Keys.value(128).i64(host.number);
        Codecs.hostRecord(out, new HostRecord(host.contact, host.sinceNs, host.held, host.waiting));
        transaction.records().put(Family.HOST, key, out.toBytes());
    }

    /** The next state number: 1, 3, 5, and so on. */
    public int takeNotifyState() {
        notifyState = notifyState == 0 ? 1 : notifyState + 2;
        transaction
                .records()
                .put(Family.META, Keys.notifyState(), Keys.value(5).i32(notifyState).toBytes());
        return notifyState;
    }

    /** The number of a stored machine; 0 when there is none. */
    public static long numberOf(View view, LockHost name) {
        byte @Nullable [] value = view.get(Family.HOST, Keys.host(name));
        return value == null ? 0 : Stored.decode(value).number;
    }
}
