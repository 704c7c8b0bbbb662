package io.cairn.wire;

import io.cairn.base.CodeTable;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The types of a family of messages by their codes. Immutable. */
public final class TypeTable<T extends MessageType> {
    /** The name, for people and for metrics, of what is not known, whatever a peer sends. */
    public static final String OTHER = "other";

    private final String family;
    private final CodeTable<T> codes;
    private final @Nullable String[] titles = new @Nullable String[256];

    /**
     * A table.
     *
     * @param family what to call a message in errors
     */
    public TypeTable(String family, T[] types) {
        this.family = family;
        this.codes = new CodeTable<>(types);
        for (T type : types) {
            titles[type.code()] = type.name().toLowerCase(Locale.ROOT);
        }
    }

    /** The type of a code; null when no type has it. */
    public @Nullable T find(int code) {
        return codes.find(code);
    }

    /** The type with a code that was read. */
    public T require(int code) {
        T type = codes.find(code);
        if (type == null) {
            throw new MalformedMessageException(family + " code " + code);
        }
        return type;
    }

    /** The name of a code, such as {@code set_xattr}. */
    public String title(int code) {
        String title = titles[code & 0xff];
        return title == null ? OTHER : title;
    }
}
