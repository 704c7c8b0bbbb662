package io.cairn.cli;

import io.cairn.cluster.Endpoint;
import io.cairn.fs.Errno;
import io.cairn.fs.FsException;
import io.cairn.fs.Wording;
import io.cairn.net.Answer;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Message;
import io.cairn.net.Transport;
import io.cairn.wire.MasterRequest;
import io.cairn.wire.Query;
import io.cairn.wire.Reply;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Asks the leader for its status without opening a session. */
final class MasterProbe {
    private static final long LIMIT_MS = 5_000;
    private static final int ROUNDS = 20;

    private final Transport transport;

    MasterProbe(Transport transport) {
        this.transport = transport;
    }

    /** The status document of the leader; fails with UNAVAILABLE when no master answers as one. */
    String status(List<Endpoint> masters) throws InterruptedException {
        String last = "";
        for (int round = 0; round < ROUNDS; round++) {
            for (Endpoint master : masters) {
                try {
                    return ask(master);
                } catch (FsException e) {
                    last = master + ": " + e.getMessage();
                    if (e.errno() != Errno.NOT_LEADER
                            && e.errno() != Errno.NOT_READY
                            && masters.size() == 1) {
                        throw unavailable(last, e);
                    }
                }
            }
            TimeUnit.MILLISECONDS.sleep(250);
        }
        throw unavailable(last, null);
    }

    private static CommandException unavailable(String last, @Nullable FsException cause) {
        return new CommandException(
                ExitCode.UNAVAILABLE, "no master answered as the leader (" + last + ")", cause);
    }

    private String ask(Endpoint master) throws InterruptedException {
        Connection connection = get(transport.connect(master, new Deaf(), LIMIT_MS));
        try (connection) {
            Message question = Message.of(v -> MasterRequest.query(0, new Query.GetStatus(), v));
            Message answer = get(connection.call(question, LIMIT_MS));
            answer.release();
            return switch (Reply.decode(answer.decoder())) {
                case Reply.TextReply text -> text.text();
                case Reply.Failure failure -> throw failure.toException();
                default ->
                        throw new FsException(Errno.EPROTO, "unexpected reply to a status query");
            };
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

    /** Takes no requests. */
    private static final class Deaf implements Handler {
        @Override
        public void handle(Connection from, Message request, Answer answer) {
            request.release();
            answer.fail(new FsException(Errno.ENOSYS));
        }
    }
}
