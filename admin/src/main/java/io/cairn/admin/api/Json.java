package io.cairn.admin.api;

import io.cairn.base.Sha256;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.jr.ob.JSON;

/** JSON documents out of maps and lists, and back. */
public final class Json {
    private static final JSON WRITER =
            JSON.std.with(JSON.Feature.WRITE_NULL_PROPERTIES).without(JSON.Feature.USE_FIELDS);
    private static final JSON READER = JSON.std.with(JSON.Feature.FAIL_ON_DUPLICATE_MAP_KEYS);

    private Json() {}

    /** The document of maps, lists, texts, numbers, flags and nulls. */
    public static String text(@Nullable Object value) {
        return WRITER.asString(value);
    }

    /** The same in UTF-8. */
    public static byte[] bytes(@Nullable Object value) {
        return text(value).getBytes(StandardCharsets.UTF_8);
    }

    /**
     * The object that a document holds.
     *
     * @throws IOException when it is not one JSON object and nothing else
     */
    public static Map<String, Object> object(byte[] document) throws IOException {
        try (JsonParser parser = READER.createParser(document)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("it does not begin with '{'");
            }
            Map<String, Object> object = READER.mapFrom(parser);
            if (parser.nextToken() != null) {
                throw new IOException("something follows its last '}'");
            }
            return object;
        } catch (JacksonException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** The object that a document of ours holds. */
    public static Map<String, Object> stored(byte[] document) {
        try {
            return object(document);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** An empty object; fields stay in the order in which they are put. */
    public static Map<String, Object> map() {
        return new LinkedHashMap<>();
    }

    /** A strong entity tag of a document, without quotes. */
    public static String etag(@Nullable Object value) {
        return etag(bytes(value));
    }

    public static String etag(byte[] document) {
        return HexFormat.of().formatHex(Sha256.of(document), 0, 12);
    }

    /** An identifier of 64 bits: 16 hexadecimal digits. */
    public static String hex(long id) {
        return String.format("%016x", id);
    }
}
