package io.cairn.nfs.lock;

import io.cairn.fs.Lock;
import io.cairn.nfs.lock.HostCalls.NoAnswer;
import io.cairn.nfs.rpc.XdrException;
import io.cairn.nfs.rpc.XdrReader;
import io.cairn.nfs.rpc.XdrWriter;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a client that a lock it waited for was granted: NLM_GRANTED, or NLM_GRANTED_MSG to one that
 * speaks by messages, whose answer is a call of its own. Blocks; thread-safe.
 */
final class GrantCall {
    private static final Logger LOG = LoggerFactory.getLogger(GrantCall.class);

    /** The answer of the client. */
    enum Answer {
        ACCEPTED,
        REFUSED,
        /** Nothing yet: try again. */
        LATER
    }

    private final HostCalls calls;

    GrantCall(HostCalls calls) {
        this.calls = calls;
    }

    Answer tell(BlockedLock blocked) {
        boolean asMessage = blocked.request().asMessage();
        NlmProcedure procedure = asMessage ? NlmProcedure.GRANTED_MSG : NlmProcedure.GRANTED;
        try {
            XdrReader results =
                    calls.call(blocked.callee(), procedure.code(), out -> arguments(blocked, out));
            if (asMessage) {
                if (blocked.tries() > 1) {
                    blocked.mayBeKnown = true;
                }
                return Answer.LATER;
            }
            return answer(blocked, results);
        } catch (NoAnswer e) {
            LOG.debug("{} does not hear of its lock: {}", blocked.callee(), e.getMessage());
            if (e.mayBeDelivered()) {
                blocked.mayBeKnown = true;
            }
        } catch (XdrException e) {
            LOG.debug("{} answers nonsense: {}", blocked.callee(), e.getMessage());
        }
        return Answer.LATER;
    }

    private static Answer answer(BlockedLock blocked, XdrReader results) {
        byte[] cookie = results.opaque(WireLock.MAX_OPAQUE_BYTES);
        int status = results.i32();
        if (!Arrays.equals(cookie, cookie(blocked.id()))) {
            LOG.debug("{} answers with another cookie", blocked.callee());
        }
        return switch (status) {
            case LockStatus.GRANTED -> Answer.ACCEPTED;
            case LockStatus.DENIED_GRACE_PERIOD -> Answer.LATER;
            default -> Answer.REFUSED;
        };
    }

    static byte[] cookie(long id) {
        return ByteBuffer.allocate(Long.BYTES).putLong(id).array();
    }

    /** {@code nlm4_testargs}. */
    private static void arguments(BlockedLock blocked, XdrWriter out) {
        boolean exclusive = blocked.request().lock().mode() == Lock.Mode.EXCLUSIVE;
        out.opaque(cookie(blocked.id())).bool(exclusive);
        blocked.request().wire().encode(out);
    }
}
