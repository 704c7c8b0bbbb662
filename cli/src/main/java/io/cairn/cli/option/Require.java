package io.cairn.cli.option;

import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;

/** Checks of option values. */
public final class Require {
    private Require() {}

    /** Fails with USAGE unless {@code least <= value <= most}. */
    public static void between(String option, long value, long least, long most) {
        if (value < least || value > most) {
            throw new CommandException(
                    ExitCode.USAGE,
                    option + " is " + value + "; it must lie in " + least + ".." + most);
        }
    }
}
