package io.cairn.system;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A shell that holds a POSIX lock on a file through a mount until it is closed; needs Python, as
 * git and mail do not.
 */
final class CairnProcessLock implements AutoCloseable {
    private final Process process;

    CairnProcessLock(Path file) throws Exception {
        String script =
                """
                import fcntl,sys,time
                f=open(sys.argv[1],'r+b')
                fcntl.lockf(f,fcntl.LOCK_EX)
                print('locked',flush=True)
                time.sleep(120)
                """;
        process =
                new ProcessBuilder(List.of("python3", "-c", script, file.toString()))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        String line = process.inputReader().readLine();
        if (!"locked".equals(line)) {
            throw new AssertionError("no lock on " + file + ": " + line);
        }
    }

    boolean isStarted() {
        return process.pid() > 0;
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
