package io.cairn.runtime;

/**
 * Choices that are made at start by the number of processors. The times come from measurements on a
 * virtual machine of two processors (bench/NOTES.md): to wake a sleeping thread took 30 to 60
 * microseconds there. Where there is one processor, looking keeps it from who answers. The
 * compilers of each role are chosen by the launchers (.mvn/jvm-options.sh).
 *
 * @param eventLoops threads of the network. Half the processors: a loop that has more to do at a
 *     time wakes less often for it. Not more than 16, which is more than a network card needs
 * @param diskThreads threads for each disk of a chunk server: a disk is asked several things at a
 *     time, and one that hangs keeps its own threads only
 * @param nextRequestNs how long a thread that serves looks for the next request before it sleeps
 * @param answerNs how long a thread that asked looks for the answer before it sleeps; a create took
 *     150 microseconds
 * @param diskNs how long an event loop looks out for the end of work on a disk before it sleeps; a
 *     read from the page cache took 20 to 80 microseconds
 * @param applyNs how long an event loop of a master without others looks out for what it logged
 */
public record Tuning(
        int eventLoops,
        int diskThreads,
        long nextRequestNs,
        long answerNs,
        long diskNs,
        long applyNs) {
    private static final int MAX_EVENT_LOOPS = 16;
    private static final int MAX_DISK_THREADS = 32;

    /** For a machine. */
    public static Tuning of(int processors) {
        int loops = Math.clamp(processors / 2, 1, MAX_EVENT_LOOPS);
        int disk = Math.clamp(2L * processors, 4, MAX_DISK_THREADS);
        return processors == 1
                ? new Tuning(loops, disk, 0, 0, 0, 0)
                : new Tuning(loops, disk, 50_000, 200_000, 100_000, 100_000);
    }

    /** For this machine, or the part of it that this process may use. */
    public static Tuning here() {
        return of(Runtime.getRuntime().availableProcessors());
    }
}
