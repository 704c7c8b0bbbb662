package io.cairn.runtime;

import java.util.Map;

/** The levels of the log while the process runs. Thread-safe. */
public interface LogControl {
    /** The levels that were set, by name of the logger: error, warn, info, debug, trace or off. */
    Map<String, String> levels();

    /**
     * Sets the level of a logger and of those below it that have none of their own.
     *
     * @param logger such as {@code io.cairn.chunk}
     * @param level one of those of {@link #levels}, in any case
     * @throws IllegalArgumentException when there is no such level; the message names all
     */
    void set(String logger, String level);
}
