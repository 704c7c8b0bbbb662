package io.cairn.master.raft.member;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Asks masters for their {@link Hello}, over whatever they speak to each other. Thread-safe. */
public interface HelloCall extends AutoCloseable {
    /** How long a master may take to answer, milliseconds. */
    long ANSWER_MS = 2_000;

    /**
     * The answer of a master. Blocks.
     *
     * @param peer its name is not known if it is {@link Peer#isNameless()}
     * @return null when what it says is no answer
     * @throws IOException it does not answer, or is another one
     */
    @Nullable Hello ask(Peer peer) throws IOException;

    /** Closes all connections. Idempotent. */
    @Override
    void close();
}
