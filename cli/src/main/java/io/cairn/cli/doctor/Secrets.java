package io.cairn.cli.doctor;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Takes secrets out of texts for other people: values of settings, options and fields whose names
 * speak of secrets, bearer tokens, tokens of Cairn wherever they stand, private keys, passwords in
 * addresses, and secrets that are known literally.
 */
final class Secrets {
    static final String MASK = "[masked]";

    private static final String NAMES =
            "[\\w.-]*(?:token|secret|password|passwd|passphrase|credential|private[-_]?key"
                    + "|api[-_]?key)"
                    + "[\\w.-]*";
    private static final Pattern KEY_BLOCK =
            Pattern.compile(
                    "(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE"
                            + " KEY-----|$)");
    private static final Pattern BEARER =
            Pattern.compile("(?i)(bearer|basic)(\\s+)[A-Za-z0-9._~+/=-]{6,}");
    private static final Pattern ADDRESS = Pattern.compile("(://[^/\\s:@]+:)[^@\\s/]+@");
    private static final Pattern QUOTED =
            Pattern.compile("(?i)(\"" + NAMES + "\"\\s*:\\s*)\"(?:[^\"\\\\]|\\\\.)*\"");
    private static final Pattern ASSIGNED =
            Pattern.compile(
                    "(?i)((?:^|[\\s,;{(\"'])-{0,2}" + NAMES + "\\s*[:=]\\s*[\"']?)[^\\s,;\"'})]+");
    private static final Pattern OPTION =
            Pattern.compile("(?i)(--" + NAMES + ")(\\s+)(?!-)[^\\s,;\"']+");

    /**
     * Tokens of the admin API and of newcomers, known by their shape wherever they stand. No metric
     * has a capital in its name.
     */
    private static final Pattern TOKEN =
            Pattern.compile(
                    "cairn-join-[A-Za-z0-9_=-]+"
                            + "|\\bcairn_(?=[a-z0-9_]*[A-Z-])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])");

    /** Shorter ones would mask ordinary words. */
    private static final int LEAST_LENGTH = 6;

    private final List<String> known;

    /** Knows these literally, for example the contents of token files. */
    Secrets(List<String> known) {
        this.known =
                known.stream().map(String::strip).filter(s -> s.length() >= LEAST_LENGTH).toList();
    }

    /** The text with secrets replaced by {@link #MASK}. */
    String mask(String text) {
        String masked = text;
        for (String secret : known) {
            masked = masked.replace(secret, MASK);
        }
        masked = TOKEN.matcher(masked).replaceAll(MASK);
        masked = KEY_BLOCK.matcher(masked).replaceAll(MASK);
        masked = QUOTED.matcher(masked).replaceAll("$1\"" + MASK + "\"");
        masked = BEARER.matcher(masked).replaceAll("$1$2" + MASK);
        masked = ADDRESS.matcher(masked).replaceAll("$1" + MASK + "@");
        masked = OPTION.matcher(masked).replaceAll("$1$2" + MASK);
        return ASSIGNED.matcher(masked).replaceAll("$1" + MASK);
    }
}
