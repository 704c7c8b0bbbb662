package io.cairn.cli.doctor;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.cairn.os.NativeCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Whether something disciplines the clock of this machine: adjtimex(2). */
final class KernelClock {
    /** Larger than struct timex on every 64-bit Linux (208 bytes). */
    private static final int TIMEX_BYTES = 256;

    private static final int TIME_ERROR = 5;

    private KernelClock() {}

    /** False while no time server has been heard. */
    static boolean isSynchronized() {
        MethodHandle adjtimex = NativeCalls.bind("adjtimex", -1, JAVA_INT, ADDRESS);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment timex = arena.allocate(TIMEX_BYTES, 8);
            long state = NativeCalls.once(s -> (int) adjtimex.invokeExact(s, timex));
            return state >= 0 && state != TIME_ERROR;
        }
    }
}
