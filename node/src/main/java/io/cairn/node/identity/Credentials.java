package io.cairn.node.identity;

import io.cairn.identity.Identity;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a process, and where it is kept.
 *
 * @param directory where the next one is to be kept, too; null for in memory only
 */
public record Credentials(@Nullable Path directory, Identity identity) {
    /** The name of the directory for it in a data directory. */
    public static final String DIRECTORY = "tls";

    /** Where an identity is kept in a data directory. */
    public static Path in(Path data) {
        return data.resolve(DIRECTORY);
    }
}
