package io.cairn.nfs.export;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.Wording;
import io.cairn.nfs.rpc.Credential;
import io.cairn.runtime.Clock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The groups that this machine knows a user in, instead of the 16 that a client can send: what
 * {@code id -G UID} prints, so that files, LDAP and whatever else the name service has count. Asked
 * once in five minutes for each user, some users at a time. A user that this machine does not know
 * has the groups that the client says. Thread-safe; blocks for some seconds at most.
 */
public final class SystemGroups implements UserGroups {
    private static final Logger LOG = LoggerFactory.getLogger(SystemGroups.class);
    private static final long FRESH_MS = 300_000;
    private static final long UNKNOWN_FRESH_MS = 30_000;
    private static final long TIMEOUT_MS = 5000;
    private static final int MAX_USERS = 4096;
    private static final int MAX_PROCESSES = 4;
    private static final int MAX_OUTPUT_BYTES = 1 << 20;
    private static final int MAX_GROUPS = 65_536;
    private static final Pattern GAP = Pattern.compile("\\s+");

    /** Finds out; replaced in tests. */
    interface Source {
        /** Groups of a user; null when there is no such user. IOException when nobody answered. */
        int @Nullable [] groups(int uid) throws IOException;
    }

    private record Known(CompletableFuture<int @Nullable []> groups, long sinceMs) {}

    private final Source source;
    private final Clock clock;
    private final Semaphore processes = new Semaphore(MAX_PROCESSES);
    private final Cache<Integer, Known> users =
            Caffeine.newBuilder().maximumSize(MAX_USERS).executor(Runnable::run).build();

    /** Asks the name service of this machine. */
    public SystemGroups(Clock clock) {
        this(SystemGroups::run, clock);
    }

    SystemGroups(Source source, Clock clock) {
        this.source = source;
        this.clock = clock;
    }

    @Override
    public Credential complete(Credential credential) {
        if (!credential.known()) {
            return credential;
        }
        int[] groups;
        try {
            groups = known(credential.uid()).get(TIMEOUT_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            throw new FsException(
                    Errno.ETIMEDOUT,
                    "the groups of user " + credential.uid() + ": " + Wording.of(e),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FsException(Errno.EINTR, "interrupted", e);
        }
        return groups == null
                ? credential
                : Credential.sys(credential.uid(), credential.gid(), groups);
    }

    private CompletableFuture<int @Nullable []> known(int uid) {
        CompletableFuture<int @Nullable []> asked = new CompletableFuture<>();
        Known fresh = new Known(asked, clock.millis());
        Known found =
                users.asMap().merge(uid, fresh, (before, next) -> isFresh(before) ? before : next);
        if (!found.equals(fresh)) {
            return found.groups;
        }
        Thread.ofVirtual().name("nfs-groups-" + uid).start(() -> ask(uid, asked));
        return asked;
    }

    private boolean isFresh(Known known) {
        long ageMs = clock.millis() - known.sinceMs;
        if (!known.groups.isDone()) {
            return ageMs < 2 * TIMEOUT_MS;
        }
        boolean good =
                !known.groups.isCompletedExceptionally() && known.groups.getNow(null) != null;
        return ageMs < (good ? FRESH_MS : UNKNOWN_FRESH_MS);
    }

    private void ask(int uid, CompletableFuture<int @Nullable []> asked) {
        try {
            if (!processes.tryAcquire(TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
                throw new IOException("too many users are asked for");
            }
            try {
                asked.complete(source.groups(uid));
            } finally {
                processes.release();
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            LOG.warn("The groups of user {} cannot be found out: {}", uid, e.getMessage());
            forget(uid);
            asked.completeExceptionally(new CompletionException(e));
        }
    }

    private void forget(int uid) {
        users.asMap().computeIfPresent(uid, (_, known) -> known.groups.isDone() ? known : null);
    }

    private static int @Nullable [] run(int uid) throws IOException {
        Process process =
                new ProcessBuilder(List.of("id", "-G", Integer.toUnsignedString(uid)))
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try (InputStream out = process.getInputStream()) {
            process.getOutputStream().close();
            Thread reaper =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        if (!ended(process)) {
                                            process.destroyForcibly();
                                        }
                                    });
            byte[] text = out.readNBytes(MAX_OUTPUT_BYTES);
            reaper.join();
            if (process.isAlive() || process.exitValue() > 128) {
                throw new IOException("id -G did not end in time");
            }
            return process.exitValue() == 0 ? parse(text) : null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            process.destroyForcibly();
        }
    }

    private static boolean ended(Process process) {
        try {
            return process.waitFor(TIMEOUT_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static int[] parse(byte[] text) throws IOException {
        String line = new String(text, StandardCharsets.US_ASCII).strip();
        try {
            return GAP.splitAsStream(line)
                    .filter(word -> !word.isEmpty())
                    .limit(MAX_GROUPS)
                    .mapToInt(Integer::parseUnsignedInt)
                    .toArray();
        } catch (NumberFormatException e) {
            throw new IOException("id -G printed '" + line + "'", e);
        }
    }
}
