package io.cairn.cli.api;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A request to the admin API. Immutable.
 *
 * @param route method and template as in the OpenAPI document: {@code GET /servers/{name}}
 * @param variables what stands in the template for the names in braces, in their order, bytes as
 *     {@link ByteText}; slashes of {@code {path}} stay slashes
 * @param query parameters of the address
 * @param body a JSON object, or null for none
 * @param ifMatch the state that the request was decided on, or null
 */
public record ApiRequest(
        String route,
        List<String> variables,
        Map<String, Object> query,
        @Nullable Map<String, Object> body,
        @Nullable String ifMatch) {
    private static final Pattern VARIABLE = Pattern.compile("\\{([a-zA-Z]+)}");
    private static final String UNRESERVED =
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";

    /** A request without query and body. */
    public static ApiRequest of(String route, String... variables) {
        return new ApiRequest(route, List.of(variables), Map.of(), null, null);
    }

    /** With a parameter in the address; null leaves it out. */
    public ApiRequest query(String name, @Nullable Object value) {
        if (value == null) {
            return this;
        }
        Map<String, Object> more = new LinkedHashMap<>(query);
        more.put(name, value);
        return new ApiRequest(route, variables, more, body, ifMatch);
    }

    /** With a JSON object as body. */
    public ApiRequest body(Map<String, Object> json) {
        return new ApiRequest(route, variables, query, json, ifMatch);
    }

    /** Only if the state is still the one of this tag. */
    public ApiRequest ifMatch(@Nullable String etag) {
        return new ApiRequest(route, variables, query, body, etag);
    }

    /** GET, POST, PUT, PATCH or DELETE. */
    public String method() {
        return route.substring(0, route.indexOf(' '));
    }

    /** The address below {@code /api/v1}, percent-encoded, with the query. */
    public String address() {
        String template = route.substring(route.indexOf(' ') + 1);
        StringBuilder address = new StringBuilder();
        Matcher matcher = VARIABLE.matcher(template);
        int at = 0;
        int index = 0;
        while (matcher.find()) {
            boolean isPath = matcher.group(1).equals("path");
            String value = variables.get(index++);
            String part = isPath && value.startsWith("/") ? value.substring(1) : value;
            address.append(template, at, matcher.start()).append(encode(part, isPath));
            at = matcher.end();
        }
        address.append(template, at, template.length());
        List<String> parameters = new ArrayList<>();
        query.forEach(
                (name, value) ->
                        parameters.add(
                                encode(name, false) + "=" + encode(String.valueOf(value), false)));
        if (!parameters.isEmpty()) {
            address.append('?').append(String.join("&", parameters));
        }
        return address.toString();
    }

    private static String encode(String text, boolean keepSlashes) {
        StringBuilder encoded = new StringBuilder();
        for (byte each : ByteText.bytes(text)) {
            char c = (char) (each & 0xff);
            if (UNRESERVED.indexOf(c) >= 0 || (keepSlashes && c == '/')) {
                encoded.append(c);
            } else {
                encoded.append(String.format("%%%02X", (int) c));
            }
        }
        return encoded.toString();
    }
}
