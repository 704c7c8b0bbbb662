package io.cairn.cli.api;

import io.cairn.node.CommandException;
import java.util.concurrent.TimeUnit;

/** The time between two questions of a command that waits. */
public final class Pause {
    private Pause() {}

    /**
     * Waits.
     *
     * @param code the exit code when this is interrupted
     * @param goesOn what the message then tells besides
     */
    public static void millis(long ms, int code, String goesOn) {
        try {
            TimeUnit.MILLISECONDS.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException(code, "interrupted; " + goesOn, e);
        }
    }
}
