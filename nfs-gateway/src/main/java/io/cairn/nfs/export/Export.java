package io.cairn.nfs.export;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A directory that clients may mount. Immutable.
 *
 * @param id part of every handle given out, the same on every gateway and for ever; made of the
 *     path
 * @param path absolute, without {@code .}, {@code ..} and a slash at the end; the root is {@code /}
 * @param rules who may; a client not named may not
 */
public record Export(int id, String path, List<ClientRule> rules) {
    /** An export of a path in any form. */
    public static Export of(String path, List<ClientRule> rules) {
        String clean = clean(path);
        CRC32C crc = new CRC32C();
        crc.update(clean.getBytes(StandardCharsets.UTF_8));
        int id = (int) crc.getValue();
        return new Export(id == 0 ? 1 : id, clean, List.copyOf(rules));
    }

    /**
     * Parses a line of exports(5): {@code PATH [-OPTION,...] CLIENTS(OPTION,...) ...}. Quotes and
     * octal digits behind a backslash make blanks part of the path.
     *
     * @throws IllegalArgumentException with a sentence that names the text
     */
    public static Export parse(String line) {
        return parse(
                line,
                unknown -> {
                    throw unknown;
                });
    }

    /**
     * Parses a line that was good when it was written. Clients whose names are not known now are
     * left out, as nobody can be told to be them.
     *
     * @param unknown is told of each of them
     * @throws IllegalArgumentException with a sentence that names the text
     */
    static Export parse(String line, Consumer<UnknownClientException> unknown) {
        List<String> words = words(line);
        List<ClientRule> rules = new ArrayList<>();
        Set<String> named = new HashSet<>();
        StringBuilder first = new StringBuilder();
        for (String word : words.subList(1, words.size())) {
            if (word.startsWith("-")) {
                first.append(word, 1, word.length()).append(',');
                continue;
            }
            try {
                ClientRule rule = ClientRule.parse(word, first.toString());
                if (!named.add(rule.clients())) {
                    throw new IllegalArgumentException(
                            "'"
                                    + line
                                    + "' names "
                                    + rule.clients()
                                    + " twice; is a space too much?");
                }
                rules.add(rule);
            } catch (UnknownClientException e) {
                unknown.accept(e);
            }
        }
        return of(words.get(0), rules);
    }

    private static List<String> words(String line) {
        List<String> words = ExportWords.of(line);
        if (words.size() < 2 || words.stream().skip(1).allMatch(w -> w.startsWith("-"))) {
            throw new IllegalArgumentException(
                    "'" + line + "' is not 'PATH CLIENTS(OPTIONS) ...', as '/ 10.0.0.0/8(rw)'");
        }
        return words;
    }

    /**
     * The path of a line, without asking for its clients.
     *
     * @throws IllegalArgumentException with a sentence that names the text
     */
    public static String pathOf(String line) {
        return clean(words(line).get(0));
    }

    private static String clean(String path) {
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException("the path '" + path + "' does not begin with /");
        }
        StringBuilder clean = new StringBuilder();
        for (String part : path.split("/", -1)) {
            if (part.equals(".") || part.equals("..")) {
                throw new IllegalArgumentException("the path '" + path + "' has . or .. in it");
            }
            if (!part.isEmpty()) {
                clean.append('/').append(part);
            }
        }
        return clean.isEmpty() ? "/" : clean.toString();
    }

    /** The rule for a client: the one that names it most narrowly; null when none does. */
    public @Nullable ClientRule ruleFor(InetAddress client, HostNames names) {
        ClientRule best = null;
        int specificity = Integer.MIN_VALUE;
        for (ClientRule rule : rules) {
            for (ClientMatch match : rule.matches()) {
                // Who is narrower asks first: addresses ask nobody.
                if (match.specificity() > specificity && match.matches(client, names)) {
                    best = rule;
                    specificity = match.specificity();
                }
            }
        }
        return best;
    }
}
