package io.cairn.fuse.loop;

import io.cairn.base.Printable;
import io.cairn.fs.FileSystem;
import io.cairn.runtime.PendingRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks for the paths of inodes, for people. A filesystem whose masters are away may keep a question
 * for ever: so it is given up after two seconds, and only so many are under way, whoever asks.
 * Thread-safe.
 */
final class PathQuestions {
    private static final Logger LOG = LoggerFactory.getLogger(PathQuestions.class);

    /** How many are under way at most. */
    static final int MOST = 64;

    /** Longest wait for the master, which may be the reason why all is slow. */
    private static final long LIMIT_MS = 2000;

    private final FileSystem fileSystem;
    private final Semaphore free = new Semaphore(MOST);

    /** None is under way. */
    PathQuestions(FileSystem fileSystem) {
        this.fileSystem = fileSystem;
    }

    /** One of them. It may be given up from its beginning on. */
    private static final class Question extends PendingRequest {
        final long ino;
        final CompletableFuture<String> path = new CompletableFuture<>();

        Question(long ino) {
            this.ino = ino;
            beginWait();
        }
    }

    /**
     * The paths of the first inodes, as many as may be asked for. Blocks for two seconds at most.
     *
     * @return empty where there is none, or nobody told it in time
     */
    Map<Long, String> ask(Set<Long> inodes) {
        List<Question> asked = new ArrayList<>();
        for (long ino : inodes) {
            if (asked.size() < MOST) {
                Question question = new Question(ino);
                asked.add(question);
                Thread.ofVirtual().start(() -> question.run(() -> answer(question)));
            }
        }
        try {
            PendingRequest.aboutToWait();
            var _ =
                    CompletableFuture.allOf(
                                    asked.stream()
                                            .map(each -> each.path)
                                            .toArray(CompletableFuture[]::new))
                            .completeOnTimeout(null, LIMIT_MS, TimeUnit.MILLISECONDS)
                            .join();
            PendingRequest.waited();
        } finally {
            for (Question each : asked) {
                boolean _ = each.cancel();
            }
        }
        Map<Long, String> paths = new HashMap<>();
        asked.forEach(each -> paths.put(each.ino, each.path.getNow("")));
        return paths;
    }

    private void answer(Question question) {
        try {
            // Others may have asked, too.
            if (free.tryAcquire(LIMIT_MS, TimeUnit.MILLISECONDS)) {
                try {
                    byte[] found = fileSystem.path(question.ino);
                    question.path.complete(Printable.of(new String(found, StandardCharsets.UTF_8)));
                } finally {
                    free.release();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.debug("inode {} has no path: {}", question.ino, e.getMessage());
        } finally {
            question.path.complete("");
        }
    }
}
