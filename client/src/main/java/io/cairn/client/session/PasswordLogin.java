package io.cairn.client.session;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.Subnet;
import io.cairn.identity.scram.Password;
import io.cairn.identity.scram.ScramClient;
import io.cairn.net.Connection;
import io.cairn.net.Message;
import io.cairn.wire.MalformedMessageException;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Logs in at masters with a name and a password, over each connection anew. The password itself is
 * not sent. Thread-safe; never blocks.
 */
public final class PasswordLogin {
    private static final int NONCE_BYTES = 18;
    private static final String LOCALHOST = "localhost";

    private final String user;
    private final Password password;

    /**
     * The login of a user.
     *
     * @param user for which {@link Password#isUserName} holds
     */
    public PasswordLogin(String user, Password password) {
        this.user = user;
        this.password = password;
    }

    /**
     * Logs in over a connection to the leader.
     *
     * @param timeoutMs for each of two requests
     * @param threads runs what takes a while
     * @param random all uses synchronize on it
     * @return fails with EACCES when the password is refused, when the other side does not know it,
     *     or when others could listen; else as any call
     */
    public CompletableFuture<Void> over(
            Connection connection, long timeoutMs, Executor threads, RandomGenerator random) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        if (!isSafe(connection)) {
            result.completeExceptionally(
                    new FsException(
                            Errno.EACCES,
                            "a password goes over TLS or to the same machine only: mount with"
                                    + " -o ca=FILE, or with a certificate of its own"));
            return result;
        }
        ScramClient exchange = new ScramClient(user, password, nonce(random));
        Promises.whenDone(
                ask(connection, new Query.BeginLogin(exchange.first()), timeoutMs),
                (message, failure) -> {
                    if (message == null) {
                        result.completeExceptionally(Await.failure(failure));
                    } else {
                        // Not here: a new salt takes a while.
                        run(
                                threads,
                                result,
                                () -> finish(connection, timeoutMs, exchange, message, result));
                    }
                });
        return result;
    }

    private static void run(Executor threads, CompletableFuture<Void> result, Runnable step) {
        threads.execute(
                () -> {
                    try {
                        step.run();
                    } catch (FsException e) {
                        result.completeExceptionally(e);
                    }
                });
    }

    private static void finish(
            Connection connection,
            long timeoutMs,
            ScramClient exchange,
            Message challenge,
            CompletableFuture<Void> result) {
        String answer;
        try {
            answer = exchange.answer(text(challenge));
        } catch (IllegalArgumentException e) {
            throw new FsException(Errno.EPROTO, "no login: " + e.getMessage(), e);
        }
        Promises.whenDone(
                ask(connection, new Query.FinishLogin(answer), timeoutMs),
                (message, failure) -> {
                    try {
                        if (message == null) {
                            throw Await.failure(failure);
                        }
                        if (!exchange.isFrom(text(message))) {
                            throw new FsException(
                                    Errno.EACCES, "it is no master: it does not know the password");
                        }
                        result.complete(null);
                    } catch (FsException e) {
                        result.completeExceptionally(e);
                    }
                });
    }

    private static CompletableFuture<Message> ask(
            Connection connection, Query query, long timeoutMs) {
        return connection.call(Message.of(v -> MasterRequest.query(0, query, v)), timeoutMs);
    }

    private static String text(Message message) {
        message.release();
        try {
            return Await.expect(Reply.decode(message.decoder()), Reply.TextReply.class).text();
        } catch (MalformedMessageException e) {
            throw new FsException(Errno.EPROTO, String.valueOf(e.getMessage()), e);
        }
    }

    /** Whether nobody else can listen. */
    private static boolean isSafe(Connection connection) {
        if (!connection.principal().isAnonymous()) {
            return true;
        }
        String host = connection.remote().host();
        byte @Nullable [] address = Subnet.addressOf(host);
        try {
            return address == null
                    ? host.equals(LOCALHOST)
                    : InetAddress.getByAddress(address).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of " + host, e);
        }
    }

    private static String nonce(RandomGenerator random) {
        byte[] bytes = new byte[NONCE_BYTES];
        synchronized (random) {
            random.nextBytes(bytes);
        }
        return Base64.getEncoder().encodeToString(bytes);
    }
}
