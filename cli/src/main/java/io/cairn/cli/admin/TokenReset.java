package io.cairn.cli.admin;

import io.cairn.admin.resource.FirstToken;
import io.cairn.base.Wording;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.MasterNode;
import io.cairn.runtime.Deadline;
import io.cairn.runtime.file.Durable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Asks the master of a data directory for a new first token, by files in that directory. */
final class TokenReset {
    private static final long LIMIT_S = 30;

    private final Path data;
    private final Path token;
    private final Path request;
    private final Path answer;

    TokenReset(Path data) {
        this.data = data;
        token = data.resolve(MasterNode.TOKEN_FILE);
        request = data.resolve(MasterNode.TOKEN_FILE + FirstToken.REQUEST);
        answer = data.resolve(MasterNode.TOKEN_FILE + FirstToken.ANSWER);
    }

    /** Returns the file with the new secret; fails with what to do instead. */
    Path run() throws InterruptedException {
        if (!Files.exists(data.resolve("FORMAT"))
                && !Files.exists(data.resolve("master").resolve("FORMAT"))) {
            throw new CommandException(
                    ExitCode.NO_INPUT, data + " is not the data directory of a master");
        }
        try {
            Files.deleteIfExists(answer);
            Durable.replace(request, new byte[0]);
            try {
                String leader = await();
                if (!leader.isEmpty()) {
                    throw new CommandException(
                            ExitCode.TEMPORARY,
                            "this master does not lead, " + leader + " does: ask there");
                }
                return token;
            } finally {
                Files.deleteIfExists(request);
                Files.deleteIfExists(answer);
            }
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.of(e), data + " cannot be written: " + Wording.of(e), e);
        }
    }

    private String await() throws IOException, InterruptedException {
        Deadline end = Deadline.afterS(LIMIT_S);
        while (!Files.exists(answer)) {
            if (end.isOver()) {
                throw new CommandException(
                        ExitCode.UNAVAILABLE,
                        "no master took the order up within %d s: start the master of %s first"
                                .formatted(LIMIT_S, data));
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
        return Files.readString(answer, StandardCharsets.UTF_8).strip();
    }
}
