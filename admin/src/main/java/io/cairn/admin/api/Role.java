package io.cairn.admin.api;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The rights of a token; each role includes those before it. */
public enum Role {
    /** Sees everything but tokens. */
    READ,
    /** Does what does not lose data or give rights: evicts sessions, moves leadership, jobs. */
    OPERATE,
    /** Everything, tokens and settings included. */
    ADMIN;

    /** Whether this role may do what needs {@code needed}. */
    public boolean includes(Role needed) {
        return compareTo(needed) >= 0;
    }

    /** As it stands in documents. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The role of a text, or null. */
    public static @Nullable Role of(String text) {
        return Arrays.stream(values()).filter(r -> r.text().equals(text)).findFirst().orElse(null);
    }

    /** All texts. */
    public static List<String> texts() {
        return Arrays.stream(values()).map(Role::text).toList();
    }
}
