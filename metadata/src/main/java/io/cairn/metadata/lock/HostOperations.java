package io.cairn.metadata.lock;

import io.cairn.base.FsException;
import io.cairn.wire.master.HostMutation;
import io.cairn.wire.master.Reply;
import java.util.List;

/** The mutations of locks of machines behind gateways. Belongs to the apply thread. */
public final class HostOperations {
    private final HostTable hosts;
    private final LockTable locks;

    public HostOperations(HostTable hosts, LockTable locks) {
        this.hosts = hosts;
        this.locks = locks;
    }

    /** In the name of a machine, asked by the session of its gateway. */
    public Reply apply(long gateway, HostMutation mutation) {
        return switch (mutation) {
            case HostMutation.SetHostLock m -> setHostLock(gateway, m);
            case HostMutation.CancelHostLock m -> {
                locks.cancel(hosts.find(m.host()), m.ino(), m.requestId());
                yield new Reply.Done();
            }
            case HostMutation.ReleaseHost m -> {
                if (!hosts.isIn(m.host(), m.exceptState())) {
                    locks.endHolder(hosts.find(m.host()));
                }
                yield new Reply.Done();
            }
            case HostMutation.TakeNotifyState _ ->
                    new Reply.HostsReply(hosts.takeNotifyState(), List.of(), true);
        };
    }

    private Reply setHostLock(long gateway, HostMutation.SetHostLock m) {
        boolean isReborn = hosts.isReborn(m.from());
        if (isReborn) {
            locks.endHolder(hosts.find(m.from().host()));
        }
        try {
            long host = hosts.begin(m.from());
            try {
                Reply reply = locks.set(gateway, host, m);
                hosts.learn(host, m.from());
                return reply;
            } finally {
                hosts.end(host);
            }
        } catch (FsException e) {
            if (isReborn) {
                // What the machine held before has been released and stays so.
                return new Reply.Failure(e.errno(), String.valueOf(e.getMessage()));
            }
            throw e;
        }
    }
}
