package io.cairn.os;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * Binds functions of the C library and calls them. Making the code for a list of arguments takes
 * some milliseconds; functions with the same list share it. Thread-safe.
 */
public final class NativeCalls {
    private static final int EINTR = 4;
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO =
            STATE.varHandle(StructLayout.PathElement.groupElement("errno"));

    /** Where a call leaves the error number: one place for each thread. */
    private static final ThreadLocal<MemorySegment> PLACE =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(STATE));

    private NativeCalls() {}

    /**
     * A function of the C library that sets errno.
     *
     * @param firstVariadic the index of the first variadic argument, negative when there is none
     * @return takes the place for the error number, then the arguments
     */
    public static MethodHandle bind(
            String name, int firstVariadic, ValueLayout result, ValueLayout... arguments) {
        return bind(
                Linker.nativeLinker().defaultLookup(),
                name,
                firstVariadic,
                FunctionDescriptor.of(result, arguments));
    }

    /** The same of any library, with any result. */
    @SuppressWarnings("restricted")
    public static MethodHandle bind(
            SymbolLookup library, String name, int firstVariadic, FunctionDescriptor type) {
        List<Linker.Option> options = new ArrayList<>();
        options.add(Linker.Option.captureCallState("errno"));
        if (firstVariadic >= 0) {
            options.add(Linker.Option.firstVariadicArg(firstVariadic));
        }
        return Linker.nativeLinker()
                .downcallHandle(
                        library.findOrThrow(name), type, options.toArray(Linker.Option[]::new));
    }

    /** A function that others hand over by its address, which stands before the arguments. */
    @SuppressWarnings("restricted")
    public static MethodHandle bindPointer(FunctionDescriptor type) {
        return Linker.nativeLinker().downcallHandle(type);
    }

    /** A call that leaves the error number in {@code state}. */
    public interface Call {
        /** Calls. */
        long run(MemorySegment state) throws Throwable;
    }

    /** The result of the call, or the negated error number; repeated while signals interrupt it. */
    public static long invoke(Call call) {
        long result = once(call);
        while (result == -EINTR) {
            result = once(call);
        }
        return result;
    }

    /** The result of the call, or the negated error number. */
    public static long once(Call call) {
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
