package io.cairn.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Temporary folders in memory where the machine has some to spare. For suites that try thousands of
 * calls and ask nothing of the disk: their clusters sync as often as any other, and a disk would
 * decide how long that takes.
 */
final class MemoryDirectory implements TempDirFactory {
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final long ENOUGH_BYTES = 2L << 30;

    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context)
            throws IOException {
        boolean hasRoom =
                Files.isWritable(MEMORY)
                        && Files.getFileStore(MEMORY).getUsableSpace() > ENOUGH_BYTES;
        return hasRoom
                ? Files.createTempDirectory(MEMORY, "cairn-test")
                : Files.createTempDirectory("cairn-test");
    }
}
