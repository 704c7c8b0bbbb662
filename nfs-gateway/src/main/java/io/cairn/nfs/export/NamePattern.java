package io.cairn.nfs.export;

import java.net.InetAddress;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * Machines by a pattern of their names, with {@code *}, {@code ?} and {@code [a-z]}, which match
 * dots, too (exports(5)).
 *
 * @param text as it was written
 * @param regex the same as a regular expression, for names in lower case
 */
record NamePattern(String text, Pattern regex) implements ClientMatch {
    static boolean isOne(String text) {
        return text.chars().anyMatch(c -> c == '*' || c == '?' || c == '[');
    }

    /**
     * Parses one.
     *
     * @throws IllegalArgumentException with a sentence that names the text
     */
    static NamePattern parse(String text) {
        if (text.chars().allMatch(c -> "0123456789.*?".indexOf(c) >= 0)) {
            throw new IllegalArgumentException(
                    "'" + text + "' is a pattern of names, not of addresses: write ADDRESS/BITS");
        }
        StringBuilder regex = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = Character.toLowerCase(text.charAt(i));
            int close = c == '[' ? text.indexOf(']', i + 1) : -1;
            if (c == '*') {
                regex.append(".*");
            } else if (c == '?') {
                regex.append('.');
            } else if (close > i) {
                regex.append(text.substring(i, close + 1).toLowerCase(Locale.ROOT));
                i = close;
            } else if (c == '.' || c == '-' || c == '_' || Character.isLetterOrDigit(c)) {
                regex.append(Pattern.quote(String.valueOf(c)));
            } else {
                throw new IllegalArgumentException(
                        "'" + text + "' is no pattern of host names, as *.example.org");
            }
        }
        try {
            return new NamePattern(text, Pattern.compile(regex.toString()));
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException("'" + text + "' has a list that is none", e);
        }
    }

    @Override
    public boolean matches(InetAddress client, HostNames names) {
        @Nullable String name = names.nameOf(client);
        return name != null && regex.matcher(name.toLowerCase(Locale.ROOT)).matches();
    }

    @Override
    public int specificity() {
        return -1;
    }
}
