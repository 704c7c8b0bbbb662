package io.cairn.master.access;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.identity.scram.ScramServer;
import io.cairn.identity.scram.ScramVerifier;
import io.cairn.metadata.Namespace;
import io.cairn.net.Connection;
import io.cairn.net.Principal;
import io.cairn.net.Principal.Role;
import io.cairn.net.Refusals;
import io.cairn.net.Refusals.Reason;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.Base64;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Which users have shown over which connections that they know their passwords. A login is good for
 * its connection, as long as the password stays the same. Thread-safe; never blocks.
 */
public final class Logins {
    /** Logins that may have begun at a time; one more makes the oldest one begin again. */
    static final int MAX_UNFINISHED = 1024;

    private static final int NONCE_BYTES = 18;

    private final RecordBook<MountUsers> book;
    private final Refusals refusals;
    private final RandomGenerator random;
    private final FailureLimit limit;

    /** The oldest first. Guarded by itself. */
    private final Map<Connection, ScramServer> unfinished = new LinkedHashMap<>();

    private final Map<Connection, Login> finished = new ConcurrentHashMap<>();

    private record Login(String user, ScramVerifier verifier) {}

    /**
     * Nobody is logged in.
     *
     * @param namespace the state with the users
     * @param random for numbers that nobody can guess; all uses synchronize on it
     */
    public Logins(
            Supplier<Namespace> namespace, Refusals refusals, Clock clock, RandomGenerator random) {
        this.book =
                new RecordBook<>(namespace, MountUsers.RECORD, MountUsers.NONE, MountUsers::decode);
        this.refusals = refusals;
        this.random = random;
        this.limit = new FailureLimit(clock);
    }

    /**
     * Takes a step of a login.
     *
     * @throws FsException EACCES when the password is refused, when the address has to wait, and on
     *     a connection that others can listen to; EAGAIN when it has to begin again
     */
    public Reply answer(Connection from, Query.OfLogin step) {
        Principal other = from.principal();
        if (other.isAnonymous() && !MountClient.of(from).isLoopback()) {
            throw new FsException(
                    Errno.EACCES,
                    "passwords are taken over TLS or on the masters' own machines only: mount with"
                            + " -o ca=FILE, or with a certificate of its own");
        }
        return switch (step) {
            case Query.BeginLogin m -> new Reply.TextReply(begin(from, m.message()));
            case Query.FinishLogin m -> new Reply.TextReply(finish(from, m.message()));
        };
    }

    private String begin(Connection from, String message) {
        MountUsers users = users();
        ScramServer exchange;
        try {
            exchange = ScramServer.begin(message, users::verifier, nonce());
        } catch (IllegalArgumentException e) {
            throw refuse(from, "", "no login: " + e.getMessage());
        }
        Principal other = from.principal();
        limit.require(asker(other), exchange.user());
        if (other.role() == Role.USER && !other.name().equals(exchange.user())) {
            throw refuse(from, exchange.user(), "a login with the certificate of " + other.name());
        }
        synchronized (unfinished) {
            unfinished.remove(from);
            unfinished.put(from, exchange);
            if (unfinished.size() > MAX_UNFINISHED) {
                Iterator<Connection> oldest = unfinished.keySet().iterator();
                oldest.next();
                oldest.remove();
            }
        }
        return exchange.challenge();
    }

    private String finish(Connection from, String message) {
        ScramServer exchange;
        synchronized (unfinished) {
            exchange = unfinished.remove(from);
        }
        if (exchange == null) {
            throw new FsException(Errno.EAGAIN, "the login has to begin again");
        }
        limit.require(asker(from.principal()), exchange.user());
        String signature = exchange.finish(message);
        Login login = new Login(exchange.user(), exchange.verifier());
        if (signature == null || !isCurrent(login, users())) {
            boolean isKnown = users().find(login.user) != null;
            String what = isKnown ? "the password of " + login.user : "an unknown user";
            throw refuse(from, login.user, what);
        }
        finished.put(from, login);
        return signature;
    }

    private FsException refuse(Connection from, String user, String what) {
        limit.add(asker(from.principal()), user);
        refusals.add(Reason.PASSWORD, from.principal().address(), what);
        return new FsException(
                Errno.EACCES, "password refused: are the name of the user and the password right?");
    }

    /** Whose failures count together: nobody without a certificate keeps those with one out. */
    private static String asker(Principal other) {
        String address = other.address();
        return other.role().isCertified() ? other.id() + " at " + address : address;
    }

    private MountUsers users() {
        MountUsers users = book.value();
        if (users == null) {
            throw new FsException(Errno.EACCES, "the masters cannot read their list of users");
        }
        return users;
    }

    private String nonce() {
        byte[] bytes = new byte[NONCE_BYTES];
        synchronized (random) {
            random.nextBytes(bytes);
        }
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static boolean isCurrent(Login login, MountUsers users) {
        ScramVerifier now = users.find(login.user);
        return now != null && now.isSame(login.verifier);
    }

    /**
     * The other side of a connection, with its user if it has logged in.
     *
     * @throws FsException EACCES when its certificate counts with the password only, and it has not
     *     logged in; also when the user has another password by now, or none: then the connection
     *     is closed
     */
    public MountClient client(Connection from) {
        Login login = finished.get(from);
        if (login == null) {
            if (MountClient.hasPasswordOnly(from.principal())) {
                throw notLoggedIn(from, "has to log in with a password first");
            }
            return MountClient.of(from);
        }
        if (!isCurrent(login, users())) {
            finished.remove(from);
            from.close();
            throw new FsException(
                    Errno.EACCES, "user " + login.user + " has another password now, or none");
        }
        return MountClient.of(from).as(login.user);
    }

    /**
     * The same for a query: somebody unknown may log in, outside of sessions.
     *
     * @throws FsException as {@link #client(Connection)} does; EPROTO when a login names a session
     */
    public MountClient client(Connection from, long session, Query asked) {
        if (!(asked instanceof Query.OfLogin) || finished.containsKey(from)) {
            return client(from);
        }
        if (session != 0) {
            throw new FsException(Errno.EPROTO, "a login belongs to no session");
        }
        return MountClient.of(from);
    }

    /**
     * The user who has logged in over a connection.
     *
     * @throws FsException EACCES when nobody has, or with another password than that of now
     */
    public String user(Connection from) {
        String user = client(from).user();
        if (user == null) {
            throw notLoggedIn(from, "has not logged in");
        }
        return user;
    }

    private FsException notLoggedIn(Connection from, String what) {
        Principal other = from.principal();
        refusals.add(Reason.PASSWORD, other.address(), other + " " + what);
        return new FsException(Errno.EACCES, other + " " + what);
    }

    /** A connection has ended. */
    public void closed(Connection connection) {
        finished.remove(connection);
        synchronized (unfinished) {
            unfinished.remove(connection);
        }
    }
}
