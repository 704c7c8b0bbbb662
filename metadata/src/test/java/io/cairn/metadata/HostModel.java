package io.cairn.metadata;

import io.cairn.base.Errno;
import io.cairn.fs.HostContact;
import io.cairn.fs.Lock;
import io.cairn.fs.LockHost;
import io.cairn.wire.master.HostMutation;
import io.cairn.wire.master.Reply;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Machines behind gateways: holders with negative numbers in the {@link LockModel}. */
final class HostModel {
    private final LockModel locks;
    private final Map<LockHost, Long> numbers = new HashMap<>();
    private final Map<LockHost, Integer> states = new HashMap<>();
    private int notifyState = -1;

    HostModel(LockModel locks) {
        this.locks = locks;
    }

    private long number(LockHost host) {
        return numbers.computeIfAbsent(host, h -> -1L - numbers.size());
    }

    /** The state of a machine with locks; 0 for none. */
    private int state(LockHost host) {
        return locks.involves(number(host)) ? states.getOrDefault(host, 0) : 0;
    }

    /** Throws when an inode cannot be locked. */
    interface Lockable {
        void require(long ino, Lock lock);
    }

    ModelRun.Expected expected(long session, HostMutation mutation, Lockable lockable) {
        switch (mutation) {
            case HostMutation.SetHostLock m -> {
                HostContact from = m.from();
                int old = state(from.host());
                if (old != 0 && from.state() > old) {
                    locks.endSession(number(from.host()));
                    old = 0;
                }
                NamespaceModel.demand(m.lock().kind() == Lock.Kind.POSIX, Errno.EINVAL);
                lockable.require(m.ino(), m.lock());
                var outcome =
                        locks.set(
                                new long[] {number(from.host()), session},
                                m.ino(),
                                m.lock(),
                                m.queue(),
                                m.requestId());
                states.put(from.host(), Math.max(old, from.state()));
                return new ModelRun.Expected(new byte[] {(byte) outcome.code()}, null, null);
            }
            case HostMutation.CancelHostLock m ->
                    locks.cancel(number(m.host()), m.ino(), m.requestId());
            case HostMutation.ReleaseHost m -> {
                if (m.exceptState() == 0 || state(m.host()) != m.exceptState()) {
                    locks.endSession(number(m.host()));
                }
            }
            case HostMutation.TakeNotifyState m -> {
                notifyState += 2;
                Reply reply = new Reply.HostsReply(notifyState, List.of(), true);
                return ModelRun.Expected.of(reply);
            }
        }
        return ModelRun.Expected.of(new Reply.Done());
    }
}
