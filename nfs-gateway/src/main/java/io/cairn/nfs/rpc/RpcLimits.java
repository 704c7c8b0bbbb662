package io.cairn.nfs.rpc;

/**
 * The limits of an RPC door. Immutable.
 *
 * @param maxRecordBytes largest call, header included
 * @param maxConnections connections at a time
 * @param maxConnectionsPerHost connections at a time from one address
 * @param maxCallsInProgress calls of one connection that are not answered, or whose answer the
 *     socket has not taken; beyond it the connection is not read
 * @param maxReplyBytes expected bytes of the answers to those calls; at most an eighth of the
 *     budget
 * @param budgetBytes memory of calls of all connections, and the same again for answers
 * @param idleMs a connection that says nothing for so long is closed
 * @param stallMs a connection that stops inside a record, or does not read its answers, is closed
 *     after this
 */
public record RpcLimits(
        int maxRecordBytes,
        int maxConnections,
        int maxConnectionsPerHost,
        int maxCallsInProgress,
        int maxReplyBytes,
        long budgetBytes,
        long idleMs,
        long stallMs) {
    /** For records of an NFS server with transfers of 1 MiB. */
    public static final RpcLimits STANDARD =
            new RpcLimits(
                    (1 << 20) + (64 << 10),
                    4096,
                    1024,
                    128,
                    16 << 20,
                    128L << 20,
                    3_600_000,
                    60_000);

    /** Least progress when others wait for memory: a connection without any for so long goes. */
    static final long IMPATIENT_MS = 500;

    /** Empty fragments of one record that are not the last; they are legal but pointless. */
    static final int MAX_EMPTY_FRAGMENTS = 64;

    /** Bytes that a call counts at least towards the budget: its buffers and its worker. */
    static final int CALL_BYTES = 16 << 10;

    /** The same with other times, for tests. */
    public RpcLimits withTimes(long newIdleMs, long newStallMs) {
        return new RpcLimits(
                maxRecordBytes,
                maxConnections,
                maxConnectionsPerHost,
                maxCallsInProgress,
                maxReplyBytes,
                budgetBytes,
                newIdleMs,
                newStallMs);
    }

    /** The same with another budget. */
    public RpcLimits withBudgetBytes(long bytes) {
        return new RpcLimits(
                maxRecordBytes,
                maxConnections,
                maxConnectionsPerHost,
                maxCallsInProgress,
                (int) Math.min(maxReplyBytes, bytes / 8),
                bytes,
                idleMs,
                stallMs);
    }
}
