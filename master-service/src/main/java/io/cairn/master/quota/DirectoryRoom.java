package io.cairn.master.quota;

import io.cairn.fs.Usage;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.LimitedAccount;
import io.cairn.fs.quota.Sums;
import java.util.List;

/**
 * What is free below directories with quotas. Immutable.
 *
 * @param replicas how many copies bytes have there, from 1
 * @param nowNs the time, nanoseconds since 1970
 */
record DirectoryRoom(long replicas, long nowNs) {
    /** The whole, or the room of the tightest directory of these accounts. */
    Usage of(Usage whole, List<LimitedAccount> limiting) {
        Usage room = whole;
        for (LimitedAccount each : limiting) {
            if (each.account().kind() == Account.Kind.DIRECTORY) {
                Sums limits = each.limits(nowNs);
                room = within(room, each.used().lengthBytes(), limits.lengthBytes());
                room =
                        within(
                                room,
                                each.used().spaceBytes() / replicas,
                                limits.spaceBytes() / replicas);
                room = withInodes(room, each.used().inodes(), limits.inodes());
            }
        }
        return room;
    }

    private static Usage within(Usage room, long used, long limit) {
        long free = Math.max(0, limit - used);
        return limit == 0 || free > room.availableBytes()
                ? room
                : new Usage(limit, free, free, room.inodes(), room.freeInodes());
    }

    private static Usage withInodes(Usage room, long used, long limit) {
        long free = Math.max(0, limit - used);
        return limit == 0 || free > room.freeInodes()
                ? room
                : new Usage(room.totalBytes(), room.freeBytes(), room.availableBytes(), used, free);
    }
}
