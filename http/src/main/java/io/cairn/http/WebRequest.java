package io.cairn.http;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP request that has arrived as a whole.
 *
 * @param method in capitals, for instance {@code GET}
 * @param path of the target, still percent-encoded, beginning with a slash
 * @param query of the target, still percent-encoded, without the question mark; empty when absent
 * @param headers names in small letters; of several with one name the values, joined by commas
 * @param body empty when there is none
 * @param remote the address of the client, without its port
 */
public record WebRequest(
        String method,
        String path,
        String query,
        Map<String, String> headers,
        byte[] body,
        String remote) {
    /** The value of a header, or null. */
    public @Nullable String header(String name) {
        return headers.get(name.toLowerCase(Locale.ROOT));
    }
}
