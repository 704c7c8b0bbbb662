package io.cairn.admin.resource;

import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Records;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Tokens;
import io.cairn.base.Wording;
import io.cairn.metadata.cluster.AdminRecord;
import io.cairn.runtime.Clock;
import io.cairn.runtime.file.Durable;
import io.cairn.wire.master.RecordChange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives a cluster without any token its first one: of role admin, its secret in a file that only
 * the owner of the process can read.
 */
public final class FirstToken {
    /**
     * To be added to the name of its file: whoever makes such a file has the token made anew. The
     * answer is another file: empty when that is done, else who leads and can do it.
     */
    public static final String REQUEST = ".reset";

    /** To be added to the name of its file: the answer to a {@link #REQUEST}. */
    public static final String ANSWER = ".answer";

    static final String NAME = "first";

    private static final Logger LOG = LoggerFactory.getLogger(FirstToken.class);

    private final Records records;
    private final Clock clock;
    private final RandomGenerator random;
    private final Path file;

    /** What was tried, its secret in the file, and may count already; null when nothing is open. */
    private Tokens.@Nullable Token tried;

    public FirstToken(Records records, Clock clock, RandomGenerator random, Path file) {
        this.records = records;
        this.clock = clock;
        this.random = random;
        this.file = file;
    }

    /**
     * Makes it, if there is none. The secret is on disk before the token counts; blocks.
     *
     * <p>Whether a try without an answer was logged shows later: until then the same one is tried
     * again, so that the file holds the secret of the one that counts.
     *
     * @throws Problem when the log does not take it: try again
     */
    public synchronized void ensure() {
        if (!records.some(Tokens.PREFIX, "", 1).isEmpty()) {
            tellIfTried();
            return;
        }
        Tokens.Token token = tried;
        if (token == null) {
            String secret = Tokens.secret(random);
            try {
                Durable.replace(file, bytes(secret));
            } catch (IOException e) {
                throw Problem.unavailable(
                        "The first token cannot be written to " + file + ": " + Wording.of(e));
            }
            token = token(secret);
            tried = token;
        }
        records.change(new RecordChange(Tokens.PREFIX + NAME, 0, token.stored()));
        tellIfTried();
    }

    private void tellIfTried() {
        Tokens.Token token = tried;
        if (token == null) {
            return;
        }
        tried = null;
        AdminRecord record = records.get(Tokens.PREFIX + NAME);
        if (record != null && Arrays.equals(record.value(), token.stored())) {
            LOG.info("the first token of the admin API, of role admin, is in {}", file);
        }
    }

    private Tokens.Token token(String secret) {
        String now = clock.now().toString();
        return new Tokens.Token(NAME, Role.ADMIN, Tokens.hash(secret), now, null, 0);
    }

    /**
     * Makes it anew at the order of a user that may write beside its file: see {@link #REQUEST}.
     * Only the leader can. Blocks.
     *
     * @param leads whether this master leads
     * @param leader who does, for people
     * @throws Problem when the log does not take it: it is tried again
     */
    public synchronized void reset(boolean leads, String leader) {
        Path request = beside(REQUEST);
        if (!Files.exists(request)) {
            return;
        }
        try {
            if (leads) {
                renew();
            }
            Durable.replace(beside(ANSWER), bytes(leads ? "" : leader));
            Files.deleteIfExists(request);
        } catch (IOException e) {
            LOG.warn("the order in {} cannot be carried out: {}", request, Wording.of(e));
        }
    }

    private void renew() throws IOException {
        String secret = Tokens.secret(random);
        tried = null;
        Durable.replace(file, bytes(secret));
        String key = Tokens.PREFIX + NAME;
        records.change(new RecordChange(key, records.version(key), token(secret).stored()));
        LOG.warn(
                "the token '{}' of role admin was made anew, because {} asked for it; the old one"
                        + " is void",
                NAME,
                beside(REQUEST));
    }

    private Path beside(String suffix) {
        return file.resolveSibling(file.getFileName() + suffix);
    }

    private static byte[] bytes(String line) {
        return (line + "\n").getBytes(StandardCharsets.UTF_8);
    }
}
