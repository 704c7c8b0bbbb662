package io.cairn.nfs.lock;

import io.cairn.base.FsException;
import io.cairn.base.Sha256;
import io.cairn.fs.HostContact;
import io.cairn.fs.HostLocks;
import io.cairn.fs.HostLocks.Outcome;
import io.cairn.fs.HostRecord;
import io.cairn.fs.Lock;
import io.cairn.fs.LockHost;
import io.cairn.nfs.rpc.RpcCall;
import io.cairn.nfs.v3.LockableFiles;
import java.nio.ByteBuffer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The work of the procedures of NLM, apart from their encoding. Thread-safe; blocks. */
final class LockService {
    private static final Logger LOG = LoggerFactory.getLogger(LockService.class);

    private final LockableFiles files;
    private final HostLocks locks;
    private final BlockedLocks blocked;

    LockService(LockableFiles files, HostLocks locks, BlockedLocks blocked) {
        this.files = files;
        this.locks = locks;
        this.blocked = blocked;
    }

    /**
     * How a lock is asked for.
     *
     * @param block whether to wait in line
     * @param reclaim whether the client had the lock before we went away
     * @param state of the machine
     * @param asMessage whether the client speaks by messages
     */
    record Manner(boolean block, boolean reclaim, int state, boolean asMessage) {}

    /**
     * The result of a test.
     *
     * @param status GRANTED, DENIED, or what went wrong
     * @param holder the lock in the way, with DENIED only
     */
    record Tested(int status, @Nullable Lock holder) {}

    /** The one place where errors become statuses. */
    private static int status(IntSupplier work) {
        try {
            return work.getAsInt();
        } catch (FsException e) {
            LOG.debug("A lock request fails: {}", e.getMessage());
            return LockStatus.of(e.errno());
        }
    }

    private static Lock.Mode mode(boolean exclusive) {
        return exclusive ? Lock.Mode.EXCLUSIVE : Lock.Mode.SHARED;
    }

    Tested test(RpcCall call, WireLock wire, boolean exclusive) {
        @Nullable Lock[] holder = new @Nullable Lock[1];
        int status =
                status(
                        () -> {
                            long ino = files.findToLock(call, wire.handle(), false);
                            LockHost host = WireLock.host(call, wire.caller());
                            holder[0] = locks.test(host, ino, wire.toLock(mode(exclusive)));
                            return holder[0] == null ? LockStatus.GRANTED : LockStatus.DENIED;
                        });
        return new Tested(status, holder[0]);
    }

    int lock(RpcCall call, WireLock wire, boolean exclusive, Manner manner) {
        return status(
                () -> {
                    long ino = files.findToLock(call, wire.handle(), exclusive);
                    Lock lock = wire.toLock(mode(exclusive));
                    HostContact from = WireLock.contact(call, wire.caller(), manner.state);
                    if (manner.block && !manner.reclaim) {
                        BlockedLock.Request request =
                                new BlockedLock.Request(from, wire, ino, lock, manner.asMessage);
                        return blocked.ask(request, call);
                    }
                    return granted(locks.set(from, ino, lock));
                });
    }

    private static int granted(Outcome outcome) {
        return outcome == Outcome.GRANTED ? LockStatus.GRANTED : LockStatus.DENIED;
    }

    int cancel(RpcCall call, WireLock wire, boolean exclusive) {
        return status(
                () -> {
                    long ino = files.find(call, wire.handle());
                    Lock lock = wire.toLock(mode(exclusive));
                    LockHost host = WireLock.host(call, wire.caller());
                    return blocked.cancel(new BlockedLock.Key(host, ino, lock))
                            ? LockStatus.GRANTED
                            : LockStatus.DENIED;
                });
    }

    /** A range that is not locked is unlocked, too. */
    int unlock(RpcCall call, WireLock wire) {
        return status(
                () -> {
                    long ino = files.find(call, wire.handle());
                    Lock lock = wire.toLock(Lock.Mode.UNLOCK);
                    HostContact from = WireLock.contact(call, wire.caller(), 0);
                    blocked.cancelOverlapping(new BlockedLock.Key(from.host(), ino, lock));
                    return granted(locks.set(from, ino, lock));
                });
    }

    /**
     * A share reservation of DOS.
     *
     * @param deny what others may not do: reading 1, writing 2
     * @param access what the owner does
     */
    int share(RpcCall call, WireLock wire, int deny, int access) {
        return status(
                () -> {
                    long ino = files.findToLock(call, wire.handle(), deny != 0);
                    return share(call, wire, ino, Lock.Mode.SHARED, access | deny << 2);
                });
    }

    int unshare(RpcCall call, WireLock wire) {
        return status(
                () -> {
                    long ino = files.find(call, wire.handle());
                    return share(call, wire, ino, Lock.Mode.UNLOCK, 0);
                });
    }

    private int share(RpcCall call, WireLock wire, long ino, Lock.Mode mode, int what) {
        HostContact from = WireLock.contact(call, wire.caller(), 0);
        long owner = number(wire.owner());
        Lock lock = new Lock(Lock.Kind.SHARE, mode, owner, 0, Lock.TO_END, what);
        return granted(locks.set(from, ino, lock));
    }

    /** Reservations have an opaque owner only: so many bits of its hash that no two meet. */
    private static long number(byte[] owner) {
        return ByteBuffer.wrap(Sha256.of(owner)).getLong();
    }

    /** A machine gives everything back. */
    void freeAll(RpcCall call, byte[] caller) {
        status(
                () -> {
                    release(WireLock.host(call, caller), 0);
                    return LockStatus.GRANTED;
                });
    }

    /**
     * A machine has gone down or come up, so its locks are gone. Its status monitor may know it by
     * another form of its name than its lock manager: with or without the domain.
     *
     * @param state the state it is in now
     */
    void rebooted(RpcCall call, byte[] name, int state) {
        status(
                () -> {
                    LockHost told = WireLock.host(call, name);
                    for (HostRecord record : locks.hosts(told.address())) {
                        LockHost host = record.contact().host();
                        if (isSame(host, told)) {
                            LOG.info("{} came up again, in state {}", host, state);
                            if (state == 0 || record.contact().state() != state) {
                                release(host, state);
                            }
                        }
                    }
                    return LockStatus.GRANTED;
                });
    }

    private void release(LockHost host, int exceptState) {
        blocked.forget(host);
        locks.release(host, exceptState);
    }

    private static boolean isSame(LockHost one, LockHost other) {
        return shortName(one.name()).equalsIgnoreCase(shortName(other.name()));
    }

    private static String shortName(String name) {
        int dot = name.indexOf('.');
        return dot <= 0 || Character.isDigit(name.charAt(0)) ? name : name.substring(0, dot);
    }

    /** A client answers a callback by a message of its own. */
    void answered(RpcCall call, byte[] cookie, int status) {
        if (cookie.length == Long.BYTES) {
            status(
                    () -> {
                        blocked.answered(ByteBuffer.wrap(cookie).getLong(), call, status);
                        return LockStatus.GRANTED;
                    });
        }
    }
}
