package io.cairn.admin.api;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Takes addresses apart: paths against templates, queries into parameters (RFC 3986). */
public final class AddressText {
    private AddressText() {}

    /** The variables of a template that a percent-encoded path fits, or null when it does not. */
    static @Nullable Map<String, byte[]> match(String template, String path) {
        String[] wanted = template.split("/", -1);
        String[] found = path.split("/", -1);
        Map<String, byte[]> variables = new LinkedHashMap<>();
        for (int i = 0; i < wanted.length; i++) {
            String part = wanted[i];
            if (part.endsWith("*}")) {
                String rest =
                        i >= found.length
                                ? ""
                                : String.join("/", List.of(found).subList(i, found.length));
                variables.put(part.substring(1, part.length() - 2), decode(rest, false));
                return variables;
            }
            if (i >= found.length) {
                return null;
            }
            if (part.startsWith("{")) {
                if (found[i].isEmpty()) {
                    return null;
                }
                variables.put(part.substring(1, part.length() - 1), decode(found[i], false));
            } else if (!part.equals(found[i])) {
                return null;
            }
        }
        return wanted.length == found.length ? variables : null;
    }

    /** The parameters of a query; 400 when one comes twice or is not well-formed. */
    public static Map<String, String> parameters(String query) {
        Map<String, String> parameters = new LinkedHashMap<>();
        for (String part : query.split("&", -1)) {
            if (part.isEmpty()) {
                continue;
            }
            int equals = part.indexOf('=');
            String name = utf8(decode(equals < 0 ? part : part.substring(0, equals), true));
            String value = equals < 0 ? "" : utf8(decode(part.substring(equals + 1), true));
            if (parameters.put(name, value) != null) {
                throw Problem.invalid(
                        name, "Parameter '" + name + "' is given twice; give it once.");
            }
        }
        return parameters;
    }

    private static String utf8(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            throw Problem.malformed("The query is not percent-encoded UTF-8.");
        }
    }

    /** Percent-decodes; 400 for what is not an encoding. */
    static byte[] decode(String text, boolean plusIsBlank) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '%') {
                boolean isWhole = i + 2 < text.length();
                int high = isWhole ? Character.digit(text.charAt(i + 1), 16) : -1;
                int low = isWhole ? Character.digit(text.charAt(i + 2), 16) : -1;
                if (high < 0 || low < 0) {
                    throw Problem.malformed(
                            "The address holds a '%' that is not followed by two hexadecimal"
                                    + " digits; write %25 for a percent sign.");
                }
                out.write(high << 4 | low);
                i += 2;
            } else {
                out.write(plusIsBlank && c == '+' ? ' ' : c);
            }
        }
        return out.toByteArray();
    }
}
