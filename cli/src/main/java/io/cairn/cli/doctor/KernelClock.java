package io.cairn.cli.doctor;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Whether something disciplines the clock of this machine: adjtimex(2). */
final class KernelClock {
    /** Larger than struct timex on every 64-bit Linux (208 bytes). */
    private static final int TIMEX_BYTES = 256;

    private static final int TIME_ERROR = 5;

    private KernelClock() {}

    /** False while no time server has been heard. */
    @SuppressWarnings("restricted")
    static boolean isSynchronized() {
        Linker linker = Linker.nativeLinker();
        MethodHandle adjtimex =
                linker.downcallHandle(
                        linker.defaultLookup().findOrThrow("adjtimex"),
                        FunctionDescriptor.of(JAVA_INT, ADDRESS));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment timex = arena.allocate(TIMEX_BYTES, 8);
            int state = (int) adjtimex.invokeExact(timex);
            return state >= 0 && state != TIME_ERROR;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("a foreign call throws nothing checked", e);
        }
    }
}
