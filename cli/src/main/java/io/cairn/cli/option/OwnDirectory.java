package io.cairn.cli.option;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** {@code ~/.cairn}: where things are kept of which nobody said where. */
public final class OwnDirectory {
    private static final String NAME = ".cairn";

    private OwnDirectory() {}

    /** The directory of who runs this process; may not exist. */
    public static Path path() {
        return path(System.getenv("HOME"), System.getProperty("user.home"));
    }

    /** The directory that was given, else this one; absolute. */
    public static Path unless(@Nullable Path given) {
        return (given != null ? given : path()).toAbsolutePath().normalize();
    }

    /**
     * As a shell understands {@code ~}: {@code HOME} counts, and only without it the home directory
     * of the account (POSIX, Tilde Expansion).
     */
    public static Path path(@Nullable String home, String account) {
        return Path.of(home == null || home.isEmpty() ? account : home, NAME);
    }
}
