package io.cairn.cli.doctor;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.Wording;
import io.cairn.client.session.Await;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Callee;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Message;
import io.cairn.net.Transport;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.MasterWait;
import io.cairn.runtime.Deadline;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Asks the leader for its status without opening a session. */
public final class MasterProbe {
    private static final long LIMIT_MS = 5_000;
    private static final long PAUSE_MS = 250;

    private final Transport transport;
    private final PrintWriter errors;

    /** A probe that tells on {@code errors} when it waits. */
    public MasterProbe(Transport transport, PrintWriter errors) {
        this.transport = transport;
        this.errors = errors;
    }

    /**
     * The status document of the leader, asked of all masters in turn until one answers as such.
     *
     * @param limitMs how long to try; every master is asked once at least
     * @throws CommandException with UNAVAILABLE when the time is over
     */
    public String status(List<Endpoint> masters, long limitMs) throws InterruptedException {
        Deadline end = Deadline.afterMs(limitMs);
        Deadline silent = Deadline.afterMs(MasterWait.SILENT_MS);
        boolean told = false;
        while (true) {
            String last = "";
            for (Endpoint master : masters) {
                try {
                    return ask(master);
                } catch (FsException e) {
                    String reason = reason(e);
                    last = reason.contains(master + "") ? reason : master + ": " + reason;
                }
            }
            if (end.isOver()) {
                throw unavailable(last);
            }
            if (!told && silent.isOver()) {
                MasterWait.tell(MasterWait.names(masters), errors);
                told = true;
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
        }
    }

    /** The message of some is not for people: where the leader is. */
    private static String reason(FsException error) {
        return error.errno() == Errno.NOT_LEADER
                ? "does not lead"
                : String.valueOf(error.getMessage());
    }

    private static CommandException unavailable(String last) {
        return new CommandException(
                ExitCode.UNAVAILABLE,
                "no master answered as the leader ("
                        + last
                        + "); do they run, and is that where they listen?");
    }

    private String ask(Endpoint master) throws InterruptedException {
        Connection connection =
                get(transport.connect(Callee.master(master), Handler.refusing(), LIMIT_MS));
        try (connection) {
            Message question = Message.of(v -> MasterRequest.query(0, new Query.GetStatus(), v));
            Message answer = get(connection.call(question, LIMIT_MS));
            answer.release();
            Reply reply = Reply.decode(answer.decoder());
            return Await.expect(reply, Reply.TextReply.class).text();
        }
    }

    private static <T> T get(CompletableFuture<T> future) throws InterruptedException {
        try {
            return future.get(2 * LIMIT_MS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof FsException failure) {
                throw failure;
            }
            throw new FsException(Errno.EIO, Wording.of(e), e);
        } catch (TimeoutException e) {
            throw new FsException(Errno.ETIMEDOUT, "no answer", e);
        }
    }
}
