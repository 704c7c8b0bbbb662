package io.cairn.client.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.runtime.Clock;
import io.cairn.wire.Limits;
import io.cairn.wire.master.Reply.SessionReply;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * The session as the client knows it: the number, the lease, which mutations are unanswered, and
 * which inodes it holds open. Thread-safe; every method is short.
 *
 * <p>Sequence numbers run from 1 without gaps; a number is <em>settled</em> once its reply arrived
 * or nobody waits for it any more. {@code ackedUpTo} is the last number below which all are
 * settled: the master forgets the replies up to it, and refuses late arrivals of them. At most
 * {@link Limits#MAX_SESSION_WINDOW} numbers may lie above it.
 */
public final class SessionState {
    private static final int WINDOW = Limits.MAX_SESSION_WINDOW;

    private final Clock clock;
    private final MasterClock masterClock;
    private final RandomGenerator random;
    private final boolean[] settled = new boolean[WINDOW];

    @GuardedBy("this")
    private final Map<Long, Integer> opens = new HashMap<>();

    @GuardedBy("this")
    private long openCount;

    @GuardedBy("this")
    private long greetings;

    private long[] released = new long[16];
    private int releasedCount;

    @GuardedBy("this")
    private long session;

    @GuardedBy("this")
    private long openNonce;

    @GuardedBy("this")
    private long lastSequence;

    @GuardedBy("this")
    private long ackedUpTo;

    @GuardedBy("this")
    private long leaseMs = 15_000;

    @GuardedBy("this")
    private long leaseEndMs;

    /** The same on the wall clock: it goes on while the machine sleeps. */
    @GuardedBy("this")
    private long leaseEndWallMs;

    @GuardedBy("this")
    private long clusterId;

    @GuardedBy("this")
    private int inlineLimitBytes = Limits.STANDARD_INLINE_BYTES;

    private volatile long quotas;

    @GuardedBy("this")
    private boolean ending;

    @GuardedBy("this")
    private boolean connected;

    public SessionState(Clock clock, RandomGenerator random) {
        this.clock = clock;
        this.masterClock = new MasterClock(clock);
        this.random = random;
        this.leaseEndMs = clock.millis();
        this.leaseEndWallMs = wallMs();
    }

    /** The wall clock, in milliseconds. */
    long wallMs() {
        return clock.wallNs() / 1_000_000;
    }

    /** The time of the master. */
    public MasterClock masterClock() {
        return masterClock;
    }

    /** The number of the session; 0 while there is none. */
    public synchronized long session() {
        return session;
    }

    /** The random number that makes retries of opening the session find the first try. */
    synchronized long openNonce() {
        while (openNonce == 0) {
            synchronized (random) {
                openNonce = random.nextLong();
            }
        }
        return openNonce;
    }

    /**
     * Checks that an answer comes from the cluster that this client has worked with so far: its
     * inode numbers mean other files anywhere else.
     *
     * @throws FsException WRONG_CLUSTER with both ids and the remedy
     */
    public synchronized void requireCluster(SessionReply reply) {
        if (clusterId != 0 && reply.clusterId() != clusterId) {
            throw new FsException(
                    Errno.WRONG_CLUSTER,
                    ("it is of cluster %016x, and this client works on cluster %016x; start the"
                                    + " masters of that one at its address, or unmount and mount"
                                    + " again to work on this one")
                            .formatted(reply.clusterId(), clusterId));
        }
    }

    /** A session was opened. */
    public synchronized void opened(SessionReply reply) {
        session = reply.session();
        openNonce = 0;
        lastSequence = 0;
        ackedUpTo = 0;
        Arrays.fill(settled, false);
        clusterId = reply.clusterId();
    }

    /**
     * The session was renewed.
     *
     * @param sentMs when the request was sent, on the monotonic clock
     * @param sentWallMs the same on the wall clock, since 1970
     */
    public synchronized void renewed(SessionReply reply, long sentMs, long sentWallMs) {
        masterClock.told(reply.timeNs(), sentMs);
        leaseMs = Math.max(100, reply.leaseMs());
        leaseEndMs = Math.max(leaseEndMs, sentMs + leaseMs);
        leaseEndWallMs = sentWallMs + leaseMs;
        quotas = reply.quotas();
        inlineLimitBytes = Math.clamp(reply.inlineLimitBytes(), 0, Limits.MAX_INLINE_BYTES);
    }

    /** Changes with each change of a quota; 0 when there is none. */
    public long quotas() {
        return quotas;
    }

    /** A quota has changed. */
    public synchronized void quotasChanged(long now) {
        quotas = now;
    }

    /** The client ends the session; there will be no other one. */
    synchronized void end() {
        ending = true;
    }

    /** Whether that the master does not know the session is what the client wants. */
    synchronized boolean isEnding() {
        return ending;
    }

    /** Forgets a session that the master no longer knows; whether it was the current one. */
    public synchronized boolean lost(long lostSession) {
        if (session != lostSession || session == 0 || ending) {
            return false;
        }
        session = 0;
        leaseEndMs = clock.millis();
        return true;
    }

    /** Whether the master certainly still knows this session and its locks. */
    public synchronized boolean leaseRuns() {
        return session != 0 && leaseLeftMs() > 0;
    }

    /** By the clock that has gone further. */
    @GuardedBy("this")
    private long leaseLeftMs() {
        return Math.min(leaseEndMs - clock.millis(), leaseEndWallMs - wallMs());
    }

    /** Whether the session may have ended, so that nothing new is begun in it. */
    synchronized boolean isDoubtful() {
        return session != 0 && !ending && leaseLeftMs() <= 0;
    }

    /** Whether requests go out at once. */
    public synchronized boolean isConnected() {
        return connected;
    }

    /** There is a connection to the leader that knows the session, or there is none any more. */
    public synchronized void connected(boolean now) {
        connected = now;
    }

    /**
     * Whether the master certainly tells this client of cuts and extensions before it answers who
     * made them.
     */
    public synchronized boolean hearsOfChanges() {
        long sinceMs = leaseMs - leaseLeftMs();
        return connected && session != 0 && sinceMs < Limits.believesMs(leaseMs);
    }

    /** How long a session lasts without renewal, in milliseconds. */
    synchronized long leaseMs() {
        return leaseMs;
    }

    /** Which cluster this is; 0 before the first session. */
    synchronized long clusterId() {
        return clusterId;
    }

    /** Contents up to this size live in the inode. */
    public synchronized int inlineLimitBytes() {
        return inlineLimitBytes;
    }

    /**
     * The next sequence number; 0 when too many are unsettled, when there is no session, or when it
     * may have ended: nobody could tell whether what was sent in it has been done.
     */
    synchronized long claim() {
        if (session == 0 || lastSequence - ackedUpTo >= WINDOW || isDoubtful()) {
            return 0;
        }
        return ++lastSequence;
    }

    /** Nobody waits for this number any more. */
    synchronized void settle(long ofSession, long sequence) {
        if (ofSession != session || sequence <= ackedUpTo) {
            return;
        }
        settled[(int) (sequence % WINDOW)] = true;
        while (ackedUpTo < lastSequence && settled[(int) ((ackedUpTo + 1) % WINDOW)]) {
            ackedUpTo++;
            settled[(int) (ackedUpTo % WINDOW)] = false;
        }
    }

    /** All sequence numbers up to this one are settled. */
    synchronized long ackedUpTo() {
        return ackedUpTo;
    }

    /** Whether one more inode may be held open. */
    public synchronized boolean hasRoomToOpen() {
        return openCount < Limits.MAX_OPEN;
    }

    /** Refuses one open file too many. */
    public void checkRoomToOpen() {
        if (!hasRoomToOpen()) {
            throw new FsException(
                    Errno.ENOMEM,
                    "this client holds " + Limits.MAX_OPEN + " files open; close some");
        }
    }

    /** The session holds an inode open, once more. */
    synchronized void open(long ino) {
        opens.merge(ino, 1, Integer::sum);
        openCount++;
    }

    /** Notes an open if the list of them was not taken since; whether it was noted. */
    synchronized boolean openIf(long sameGreetings, long ino) {
        if (greetings != sameGreetings) {
            return false;
        }
        open(ino);
        return true;
    }

    /** How often the list of open inodes was taken for a master. */
    synchronized long greetings() {
        return greetings;
    }

    /** The session holds an inode open once less; whether this is the first of a batch to tell. */
    synchronized boolean release(long ino) {
        Integer count = opens.get(ino);
        if (count == null) {
            return false;
        }
        openCount--;
        if (count == 1) {
            opens.remove(ino);
        } else {
            opens.put(ino, count - 1);
        }
        addReleased(ino);
        return releasedCount == 1;
    }

    private void addReleased(long ino) {
        if (releasedCount == released.length) {
            released = Arrays.copyOf(released, releasedCount * 2);
        }
        released[releasedCount++] = ino;
    }

    /** These could not be told now; whether they are the first of a batch to tell. */
    synchronized boolean returnReleased(long[] inos) {
        boolean first = releasedCount == 0;
        for (long ino : inos) {
            addReleased(ino);
        }
        return first;
    }

    /** Takes the inodes whose release was not told yet. */
    synchronized long[] takeReleased() {
        long[] inos = Arrays.copyOf(released, releasedCount);
        releasedCount = 0;
        return inos;
    }

    /** All inodes held open, once per count; what was released need not be told any more. */
    synchronized long[] takeOpens() {
        greetings++;
        releasedCount = 0;
        long[] inos = new long[(int) openCount];
        int at = 0;
        for (Map.Entry<Long, Integer> each : opens.entrySet()) {
            for (int i = 0; i < each.getValue(); i++) {
                inos[at++] = each.getKey();
            }
        }
        return inos;
    }
}
