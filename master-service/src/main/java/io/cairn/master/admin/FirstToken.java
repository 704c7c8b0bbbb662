package io.cairn.master.admin;

import io.cairn.fs.Wording;
import io.cairn.runtime.Clock;
import io.cairn.wire.RecordChange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives a cluster without any token its first one: of role admin, its secret in a file that only
 * the owner of the process can read.
 */
final class FirstToken {
    static final String NAME = "first";

    private static final Logger LOG = LoggerFactory.getLogger(FirstToken.class);

    private final Records records;
    private final Clock clock;
    private final RandomGenerator random;
    private final Path file;

    FirstToken(Records records, Clock clock, RandomGenerator random, Path file) {
        this.records = records;
        this.clock = clock;
        this.random = random;
        this.file = file;
    }

    /**
     * Makes it, if there is none. The secret is on disk before the token counts; blocks.
     *
     * @throws Problem when the log does not take it: try again
     */
    void ensure() {
        if (!records.some(Tokens.PREFIX, "", 1).isEmpty()) {
            return;
        }
        String secret = Tokens.secret(random);
        try {
            write(secret);
        } catch (IOException e) {
            throw Problem.unavailable(
                    "The first token cannot be written to " + file + ": " + Wording.of(e));
        }
        String now = clock.now().toString();
        Tokens.Token token = new Tokens.Token(NAME, Role.ADMIN, Tokens.hash(secret), now, null, 0);
        records.change(new RecordChange(Tokens.PREFIX + NAME, 0, token.stored()));
        LOG.info("the first token of the admin API, of role admin, is in {}", file);
    }

    private void write(String secret) throws IOException {
        Path temporary = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(temporary);
        FileAttribute<?>[] ownerOnly =
                FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
                        ? new FileAttribute<?>[] {
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rw-------"))
                        }
                        : new FileAttribute<?>[0];
        Set<StandardOpenOption> options =
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (var channel = Files.newByteChannel(temporary, options, ownerOnly)) {
            channel.write(
                    java.nio.ByteBuffer.wrap((secret + "\n").getBytes(StandardCharsets.UTF_8)));
        }
        Files.move(
                temporary,
                file,
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }
}
