package io.cairn.runtime;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * Binds functions of the C library and calls them. Making the code for a list of arguments takes
 * some milliseconds; functions with the same list share it. Thread-safe.
 */
final class NativeCalls {
    private static final int EINTR = 4;
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO =
            STATE.varHandle(StructLayout.PathElement.groupElement("errno"));

    /** Where a call leaves the error number: one place for each thread. */
    private static final ThreadLocal<MemorySegment> PLACE =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(STATE));

    private NativeCalls() {}

    /**
     * A function that sets errno.
     *
     * @param firstVariadic the index of the first variadic argument, negative when there is none
     * @return takes the place for the error number, then the arguments
     */
    @SuppressWarnings("restricted")
    static MethodHandle bind(
            String name, int firstVariadic, ValueLayout result, ValueLayout... arguments) {
        Linker linker = Linker.nativeLinker();
        List<Linker.Option> options = new ArrayList<>();
        options.add(Linker.Option.captureCallState("errno"));
        if (firstVariadic >= 0) {
            options.add(Linker.Option.firstVariadicArg(firstVariadic));
        }
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow(name),
                FunctionDescriptor.of(result, arguments),
                options.toArray(Linker.Option[]::new));
    }

    /** A call that leaves the error number in {@code state}. */
    interface Call {
        long run(MemorySegment state) throws Throwable;
    }

    /** The result of the call, or the negated error number; repeated while signals interrupt it. */
    static long invoke(Call call) {
        long result = once(call);
        while (result == -EINTR) {
            result = once(call);
        }
        return result;
    }

    /** The result of the call, or the negated error number. */
    static long once(Call call) {
        MemorySegment place = PLACE.get();
        try {
            long result = call.run(place);
            return result < 0 ? -(int) ERRNO.get(place, 0L) : result;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("a foreign call throws nothing checked", e);
        }
    }
}
