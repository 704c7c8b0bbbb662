package io.cairn.admin.api;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Pages of lists: {@code ?limit=} and {@code ?after=}, {@code items} and {@code next}. */
public final class Listing {
    private Listing() {}

    /**
     * The page that a call asks for.
     *
     * @param all everything, in any order
     * @param key distinct, and for ever the same; the list is in the order of the keys
     * @param json what an item looks like
     */
    public static <T> Outcome page(
            Call call, Collection<T> all, Function<T, String> key, Function<T, ?> json) {
        String after = after(call);
        long limit = limit(call);
        List<T> sorted = new ArrayList<>(all);
        sorted.sort(Comparator.comparing(key));
        List<Object> items = new ArrayList<>();
        String last = null;
        for (T each : sorted) {
            if (after != null && key.apply(each).compareTo(after) <= 0) {
                continue;
            }
            if (items.size() == limit) {
                return page(items, last);
            }
            items.add(json.apply(each));
            last = key.apply(each);
        }
        return page(items, null);
    }

    /** A page whose items the caller has chosen. */
    public static Outcome page(List<Object> items, @Nullable String lastKey) {
        Map<String, Object> document = Json.map();
        document.put("items", items);
        document.put("next", lastKey == null ? null : opaque(lastKey));
        return Outcome.of(document);
    }

    /** Items that the call wants. */
    public static int limit(Call call) {
        return (int) call.parameter("limit", Parameter.DEFAULT_LIMIT);
    }

    /** The key behind which the page begins; null at the beginning. 400 when it is not ours. */
    public static @Nullable String after(Call call) {
        String text = call.parameter("after");
        if (text == null) {
            return null;
        }
        try {
            return new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw Problem.invalid(
                    "after",
                    "'after' must be the 'next' of an earlier page; leave it out to begin.");
        }
    }

    private static String opaque(String key) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(key.getBytes(StandardCharsets.UTF_8));
    }
}
