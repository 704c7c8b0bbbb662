package io.cairn.fuse.loop;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The numbers that the kernel keeps for what is open: slot in the lower half, a counter in the
 * upper half so that a number is not used twice. Thread-safe; {@link #get} takes no lock.
 *
 * @param <T> what is open
 */
public final class HandleTable<T> {
    /** More open files than this in one mount are refused with ENOMEM. */
    static final int MAX_HANDLES = 1 << 20;

    private record Slot<T>(long number, T value) {}

    @GuardedBy("this")
    private final ArrayDeque<Integer> free = new ArrayDeque<>();

    private volatile @Nullable Slot<T>[] slots;

    @GuardedBy("this")
    private int used;

    @GuardedBy("this")
    private long counter;

    /** An empty table. */
    HandleTable() {
        slots = newSlots(64);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static <T> @Nullable Slot<T>[] newSlots(int length) {
        return (@Nullable Slot<T>[]) new Slot[length];
    }

    /** Adds; gives the number. */
    public synchronized long add(T value) {
        Integer index = free.pollFirst();
        if (index == null) {
            if (used == MAX_HANDLES) {
                throw new FsException(Errno.ENOMEM, "more than " + MAX_HANDLES + " open files");
            }
            index = used++;
        }
        @Nullable Slot<T>[] array = slots;
        if (index >= array.length) {
            array = Arrays.copyOf(array, array.length * 2);
        }
        counter = (counter + 1) & 0x7fff_ffff;
        long number = counter << 32 | index;
        array[index] = new Slot<>(number, value);
        slots = array;
        return number;
    }

    /**
     * The object of a number.
     *
     * @throws FsException EBADF when it was never given or is removed
     */
    public T get(long number) {
        @Nullable Slot<T>[] array = slots;
        int index = (int) number;
        Slot<T> slot = index >= 0 && index < array.length ? array[index] : null;
        if (slot == null || slot.number != number) {
            throw new FsException(Errno.EBADF, "no open file has the number " + number);
        }
        return slot.value;
    }

    /** Removes; what it stood for. */
    public synchronized T remove(long number) {
        T value = get(number);
        int index = (int) number;
        @Nullable Slot<T>[] array = slots;
        array[index] = null;
        slots = array;
        free.addFirst(index);
        return value;
    }

    /** Removes all. */
    synchronized List<T> drain() {
        List<T> values = new ArrayList<>();
        for (Slot<T> slot : slots) {
            if (slot != null) {
                values.add(slot.value);
            }
        }
        slots = newSlots(64);
        free.clear();
        used = 0;
        return values;
    }
}
