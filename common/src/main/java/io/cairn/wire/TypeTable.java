package io.cairn.wire;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The types of a family by their codes. Immutable. */
final class TypeTable<T extends MessageType> {
    /** The name, for people and for metrics, of what is not known, whatever a peer sends. */
    static final String OTHER = "other";

    private final String family;
    private final T[] types;
    private final byte[] places = new byte[256];
    private final String[] titles;

    /**
     * A table.
     *
     * @param family what to call a message in errors
     * @param types all of them; codes are in 1..255 and each its own
     */
    TypeTable(String family, T[] types) {
        this.family = family;
        this.types = types;
        this.titles = new String[types.length];
        for (int i = 0; i < types.length; i++) {
            int code = types[i].code();
            if (code < 1 || places[code] != 0) {
                throw new IllegalArgumentException("code " + code + " of " + types[i]);
            }
            places[code] = (byte) (i + 1);
            titles[i] = types[i].name().toLowerCase(Locale.ROOT);
        }
    }

    /** The type with a code; null when there is none. */
    @Nullable T find(int code) {
        int place = code < 0 || code > 255 ? 0 : places[code];
        return place == 0 ? null : types[place - 1];
    }

    /** The type with a code that was read. */
    T require(int code) {
        T type = find(code);
        if (type == null) {
            throw new MalformedMessageException(family + " code " + code);
        }
        return type;
    }

    /** The name of a code, such as {@code set_xattr}. */
    String title(int code) {
        int place = places[code & 0xff];
        return place == 0 ? OTHER : titles[place - 1];
    }
}
