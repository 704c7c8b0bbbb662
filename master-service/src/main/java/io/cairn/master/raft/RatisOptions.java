package io.cairn.master.raft;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.netty.NettyConfigKeys;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.RaftServerConfigKeys.Log;
import org.apache.ratis.server.RaftServerConfigKeys.Read;
import org.apache.ratis.server.RaftServerConfigKeys.Rpc;
import org.apache.ratis.server.RaftServerConfigKeys.Snapshot;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/** How Ratis is set up. Each line that is not obvious says why. */
final class RatisOptions {
    /** Nobody votes or stands for election earlier after the last word of the leader. */
    static final int ELECTION_MIN_MS = 500;

    private static final int ELECTION_MAX_MS = 1000;

    /** A newcomer that lacks fewer entries counts among the masters. */
    private static final int STAGING_GAP = 50;

    /** A lone master waits for nobody. */
    private static final int LONE_ELECTION_MS = 10;

    /** The updater asks for a checkpoint no sooner; the machine decides whether it is time. */
    private static final long MAX_SNAPSHOT_INTERVAL = 100;

    private static final long MIN_SEGMENT_BYTES = 64 << 10;
    private static final long MAX_SEGMENT_BYTES = 8 << 20;

    /**
     * Ratis writes zeros where entries will lie, so that most syncs need not make the file longer.
     * These are still in the processor's cache when the entries overwrite them.
     */
    private static final long MAX_PREALLOCATED_BYTES = 256 << 10;

    private RatisOptions() {}

    static RaftProperties properties(RatisSettings settings, boolean alone, Path raft) {
        RaftProperties to = new RaftProperties();
        RaftServerConfigKeys.setStorageDir(to, List.of(raft.toFile()));
        elections(to, alone);
        log(to, settings.checkpoints().bytes());
        reads(to);
        // Checkpoints and what is purged below them are the machine's decision.
        Snapshot.setAutoTriggerEnabled(to, true);
        Snapshot.setAutoTriggerThreshold(
                to, Math.min(MAX_SNAPSHOT_INTERVAL, settings.checkpoints().entries()));
        Snapshot.setTriggerWhenStopEnabled(to, false);
        // Ours is in the replicated state; this one lives in memory.
        RaftServerConfigKeys.RetryCache.setExpiryTime(to, seconds(5));
        // A machine that slept does not have to die of it; a leader steps down all the same.
        RaftServerConfigKeys.setCloseThreshold(to, TimeDuration.valueOf(3650, TimeUnit.DAYS));
        RaftConfigKeys.Rpc.setType(to, new GuardedRpc());
        NettyConfigKeys.Server.setHost(to, settings.self().raft().host());
        NettyConfigKeys.Server.setPort(to, settings.self().raft().port());
        return to;
    }

    private static void elections(RaftProperties to, boolean alone) {
        Rpc.setTimeoutMin(to, millis(ELECTION_MIN_MS));
        Rpc.setTimeoutMax(to, millis(ELECTION_MAX_MS));
        if (alone) {
            Rpc.setFirstElectionTimeoutMin(to, millis(LONE_ELECTION_MS));
            Rpc.setFirstElectionTimeoutMax(to, millis(2 * LONE_ELECTION_MS));
        }
        RaftServerConfigKeys.LeaderElection.setPreVote(to, true);
        // A leader that lost its majority may be the only one with the newest entries: it must not
        // wait long before it stands for election again.
        RaftServerConfigKeys.LeaderElection.setLeaderStepDownWaitTime(to, seconds(2));
        // A newcomer that installs a large checkpoint is silent for a while.
        RaftServerConfigKeys.setStagingTimeout(to, seconds(60));
        RaftServerConfigKeys.setStagingCatchupGap(to, STAGING_GAP);
    }

    private static void log(RaftProperties to, long checkpointBytes) {
        // Acknowledged means synced.
        Log.setUnsafeFlushEnabled(to, false);
        Log.setAsyncFlushEnabled(to, false);
        // The writer syncs when its queue is empty, and at the latest after so many entries.
        Log.setForceSyncNum(to, 4096);
        // So the writer asks the machine for the result of its flush after the log is forced, and
        // not before: that is when a master alone applies. The machine keeps no data of its own.
        Log.StateMachineData.setSync(to, false);
        // Whole segments are purged: a checkpoint's worth of log should be a few of them. Of the
        // newest one Ratis keeps the entries in memory, a small entry at several times its size.
        long segmentBytes = Math.clamp(checkpointBytes / 4, MIN_SEGMENT_BYTES, MAX_SEGMENT_BYTES);
        Log.setSegmentSizeMax(to, SizeInBytes.valueOf(segmentBytes));
        Log.setPreallocatedSize(
                to, SizeInBytes.valueOf(Math.min(MAX_PREALLOCATED_BYTES, segmentBytes / 4)));
        Log.setWriteBufferSize(to, SizeInBytes.valueOf("8MB"));
        // Below the largest payload of a frame of ours, for masters with certificates.
        Log.Appender.setBufferByteLimit(to, SizeInBytes.valueOf("3MB"));
        Log.Appender.setSnapshotChunkSizeMax(to, SizeInBytes.valueOf("3MB"));
        // Else each commit index costs an entry of its own.
        Log.setLogMetadataEnabled(to, false);
        Log.setSegmentCacheNumMax(to, 2);
        Log.setSegmentCacheSizeMax(to, SizeInBytes.valueOf("32MB"));
        Log.setPurgeUptoSnapshotIndex(to, true);
        Log.setPurgeGap(to, 1);
        Log.setCorruptionPolicy(to, Log.CorruptionPolicy.EXCEPTION);
    }

    private static void reads(RaftProperties to) {
        Read.setOption(to, Read.Option.LINEARIZABLE);
        Read.setLeaderLeaseEnabled(to, true);
        Read.setLeaderLeaseTimeoutRatio(to, 0.9);
    }

    private static TimeDuration millis(long ms) {
        return TimeDuration.valueOf(ms, TimeUnit.MILLISECONDS);
    }

    private static TimeDuration seconds(long s) {
        return TimeDuration.valueOf(s, TimeUnit.SECONDS);
    }
}
