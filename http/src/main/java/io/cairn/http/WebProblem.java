package io.cairn.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An error as HTTP clients get it: {@code application/problem+json} of RFC 9457.
 *
 * @param status 400..599
 * @param kind what kind of problem, in small letters with dashes; makes {@code
 *     urn:cairn:problem:KIND}
 * @param title the kind in words
 * @param detail what is wrong here and what to do: a sentence
 * @param field the field or parameter that is wrong, or null
 * @param allowed what would be right there; empty when it is not a list
 */
public record WebProblem(
        int status,
        String kind,
        String title,
        String detail,
        @Nullable String field,
        List<String> allowed) {
    /** The media type. */
    public static final String TYPE = "application/problem+json";

    /** A problem that no field is to blame for. */
    public static WebProblem of(int status, String kind, String title, String detail) {
        return new WebProblem(status, kind, title, detail, null, List.of());
    }

    /** The answer that tells it. */
    public WebAnswer toAnswer() {
        return WebAnswer.of(status, TYPE, toJson());
    }

    /** The JSON document. */
    public String toJson() {
        StringBuilder out = new StringBuilder("{\"type\":");
        out.append(quoted("urn:cairn:problem:" + kind));
        out.append(",\"title\":").append(quoted(title));
        out.append(",\"status\":").append(status);
        out.append(",\"detail\":").append(quoted(detail));
        if (field != null) {
            out.append(",\"field\":").append(quoted(field));
        }
        if (!allowed.isEmpty()) {
            out.append(",\"allowed\":[");
            for (int i = 0; i < allowed.size(); i++) {
                out.append(i == 0 ? "" : ",").append(quoted(allowed.get(i)));
            }
            out.append(']');
        }
        return out.append("}\n").toString();
    }

    /** A JSON string (RFC 8259). */
    static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < 0x20) {
                out.append("\\u%04x".formatted((int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }
}
