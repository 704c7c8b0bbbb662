package io.cairn.base;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The constants of an enum by their codes. Immutable. */
public final class CodeTable<T extends Coded> {
    private final List<T> all;
    private final byte[] places = new byte[256];

    /**
     * A table.
     *
     * @throws IllegalArgumentException when a code is not in 0..255, or two constants share one
     */
    public CodeTable(T[] all) {
        this.all = List.copyOf(Arrays.asList(all));
        for (int i = 0; i < all.length; i++) {
            int code = all[i].code();
            if (code < 0 || code >= places.length || places[code] != 0) {
                throw new IllegalArgumentException("code " + code + " of " + all[i]);
            }
            places[code] = (byte) (i + 1);
        }
    }

    /** The constant with a code; null when there is none. */
    public @Nullable T find(int code) {
        int place = code < 0 || code >= places.length ? 0 : places[code];
        return place == 0 ? null : all.get(place - 1);
    }

    /**
     * The constant with a code that is known to be there.
     *
     * @throws IllegalArgumentException when there is none
     */
    public T of(int code) {
        T found = find(code);
        if (found == null) {
            throw new IllegalArgumentException("nothing has the code " + code);
        }
        return found;
    }

    /** All constants, in their order. */
    public List<T> all() {
        return all;
    }
}
