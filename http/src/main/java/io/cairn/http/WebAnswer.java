package io.cairn.http;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An answer to an HTTP request.
 *
 * @param status 200..599
 * @param headers besides those that the door adds itself; names in small letters
 * @param body empty for none; not used when there is a feed
 * @param feed makes the body piece by piece, or null
 */
public record WebAnswer(
        int status, Map<String, String> headers, byte[] body, @Nullable WebFeed feed) {
    /** Type of JSON documents. */
    public static final String JSON = "application/json";

    /** An answer with a body. */
    public static WebAnswer of(int status, String type, byte[] body) {
        return new WebAnswer(status, Map.of("content-type", type), body, null);
    }

    /** An answer with a text as its body. */
    public static WebAnswer of(int status, String type, String text) {
        return of(status, type, text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * 200 and a body that a feed makes as long as both sides want. A reverse proxy is asked to hand
     * each piece on at once; nginx would gather them (its header X-Accel-Buffering).
     */
    public static WebAnswer of(String type, WebFeed feed) {
        Map<String, String> headers = Map.of("content-type", type, "x-accel-buffering", "no");
        return new WebAnswer(200, headers, new byte[0], feed);
    }

    /** The same with one more header. */
    public WebAnswer with(String header, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(header, value);
        return new WebAnswer(status, more, body, feed);
    }
}
