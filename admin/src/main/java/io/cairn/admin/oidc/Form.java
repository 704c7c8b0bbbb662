package io.cairn.admin.oidc;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.stream.Collectors;

/** Texts of forms and addresses, as OAuth 2.0 sends them. */
final class Form {
    private Form() {}

    /** Names and values, encoded. */
    static String text(Map<String, String> values) {
        return values.entrySet().stream()
                .map(each -> encoded(each.getKey()) + "=" + encoded(each.getValue()))
                .sorted()
                .collect(Collectors.joining("&"));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /** The header of a client with a secret: RFC 6749, 2.3.1. */
    static String basic(String id, String secret) {
        String both = encoded(id) + ":" + encoded(secret);
        return "Basic " + Base64.getEncoder().encodeToString(both.getBytes(StandardCharsets.UTF_8));
    }
}
