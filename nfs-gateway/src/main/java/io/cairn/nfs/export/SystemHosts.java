package io.cairn.nfs.export;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.cairn.runtime.Clock;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The answers of the name service of this machine: names of addresses from the resolver, members of
 * netgroups from {@code getent netgroup}, so that files, NIS, LDAP and SSSD count. Asked once in
 * five minutes for each, sooner when there was no answer. A machine whose name is not known in time
 * has none. Thread-safe.
 */
public final class SystemHosts implements HostNames {
    private static final Logger LOG = LoggerFactory.getLogger(SystemHosts.class);
    private static final long FRESH_MS = 300_000;
    private static final long UNKNOWN_FRESH_MS = 30_000;
    private static final long TIMEOUT_MS = 5000;
    private static final int MAX_KNOWN = 8192;
    private static final int MAX_OUTPUT_BYTES = 4 << 20;
    private static final Pattern TRIPLE = Pattern.compile("\\(([^,()]*),[^,()]*,[^()]*\\)");

    /** Finds out; replaced in tests. */
    interface Source {
        /** The name, if it leads back; else null. */
        @Nullable String name(InetAddress address) throws IOException;

        /** The output of {@code getent netgroup}; null when there is no such group. */
        @Nullable String netgroup(String name) throws IOException;
    }

    /** Members by lower case name; any of them when {@code everybody}. */
    private record Members(Set<String> hosts, boolean everybody) {}

    private record Known(CompletableFuture<@Nullable Object> answer, long sinceMs) {}

    /** Asks for one thing. */
    private interface Question {
        @Nullable Object ask() throws IOException;
    }

    private final Source source;
    private final Clock clock;
    private final Cache<String, Known> known =
            Caffeine.newBuilder().maximumSize(MAX_KNOWN).executor(Runnable::run).build();

    /** Asks the name service of this machine. */
    public SystemHosts(Clock clock) {
        this(new NameService(), clock);
    }

    SystemHosts(Source source, Clock clock) {
        this.source = source;
        this.clock = clock;
    }

    @Override
    public @Nullable String nameOf(InetAddress address) {
        return (String) answer(address.getHostAddress(), () -> source.name(address));
    }

    @Override
    public boolean isMember(String netgroup, String host) {
        Members members =
                (Members)
                        answer(
                                "@" + netgroup,
                                () -> {
                                    String text = source.netgroup(netgroup);
                                    return text == null ? null : members(text);
                                });
        return members != null
                && (members.everybody || members.hosts.contains(host.toLowerCase(Locale.ROOT)));
    }

    /** An empty host stands for all, a dash for none (netgroup(5)). */
    private static Members members(String text) {
        Set<String> hosts = new HashSet<>();
        boolean everybody = false;
        Matcher triples = TRIPLE.matcher(text);
        while (triples.find()) {
            String host = triples.group(1).strip();
            everybody |= host.isEmpty();
            if (!host.isEmpty() && !host.equals("-")) {
                hosts.add(host.toLowerCase(Locale.ROOT));
            }
        }
        return new Members(hosts, everybody);
    }

    private @Nullable Object answer(String key, Question question) {
        try {
            return asked(key, question).get(TIMEOUT_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            LOG.warn("{} is not known to the name service in time; it counts as unknown", key);
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    private CompletableFuture<@Nullable Object> asked(String key, Question question) {
        CompletableFuture<@Nullable Object> asked = new CompletableFuture<>();
        Known fresh = new Known(asked, clock.millis());
        Known found =
                known.asMap().merge(key, fresh, (before, next) -> isFresh(before) ? before : next);
        if (!found.equals(fresh)) {
            return found.answer;
        }
        Thread.ofVirtual()
                .name("nfs-names")
                .start(
                        () -> {
                            try {
                                asked.complete(question.ask());
                            } catch (IOException | RuntimeException e) {
                                asked.completeExceptionally(new CompletionException(e));
                            }
                        });
        return asked;
    }

    private boolean isFresh(Known it) {
        long ageMs = clock.millis() - it.sinceMs;
        if (!it.answer.isDone()) {
            return ageMs < 2 * TIMEOUT_MS;
        }
        boolean good = !it.answer.isCompletedExceptionally() && it.answer.getNow(null) != null;
        return ageMs < (good ? FRESH_MS : UNKNOWN_FRESH_MS);
    }

    /** The resolver and {@code getent}. */
    private static final class NameService implements Source {
        @Override
        public @Nullable String name(InetAddress address) {
            // It asks forward as well, and gives the address back when that leads elsewhere.
            String name = address.getCanonicalHostName();
            return name.equals(address.getHostAddress()) ? null : name;
        }

        @Override
        public @Nullable String netgroup(String name) throws IOException {
            Process process =
                    new ProcessBuilder(List.of("getent", "netgroup", name))
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            // A reader of the output waits until the process is no more.
            CompletableFuture<Process> reaper =
                    process.onExit()
                            .orTimeout(TIMEOUT_MS, TimeUnit.MILLISECONDS)
                            .exceptionally(_ -> process.destroyForcibly());
            try (InputStream out = process.getInputStream()) {
                process.getOutputStream().close();
                byte[] text = out.readNBytes(MAX_OUTPUT_BYTES);
                int code = process.waitFor();
                if (code > 2) {
                    throw new IOException("getent netgroup ended with " + code);
                }
                return code == 0 ? new String(text, StandardCharsets.UTF_8) : null;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            } finally {
                process.destroyForcibly();
                reaper.cancel(false);
            }
        }
    }
}
