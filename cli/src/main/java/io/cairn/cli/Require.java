package io.cairn.cli;

/** Checks of option values. */
final class Require {
    private Require() {}

    /** Fails with USAGE unless {@code least <= value <= most}. */
    static void between(String option, long value, long least, long most) {
        if (value < least || value > most) {
            throw new CommandException(
                    ExitCode.USAGE,
                    option + " is " + value + "; it must lie in " + least + ".." + most);
        }
    }
}
