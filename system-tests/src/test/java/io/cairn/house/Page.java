package io.cairn.house;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A Markdown page of the repository.
 *
 * @param path relative to the root of the repository
 * @param lines without line ends
 */
record Page(Path path, List<String> lines) {
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern TYPE =
            Pattern.compile("`(?:[a-z][a-z0-9]*\\.)*([A-Z][a-z][A-Za-z0-9]*)(?:\\.[A-Za-z]+)*`");
    private static final Pattern OPTION = Pattern.compile("(?<![\\w-])--[a-z][a-z-]*[a-z]");

    /** Every page that people read: those at the root, and those of folders with pages. */
    static List<Page> read(Path root) throws IOException {
        List<Page> pages = new ArrayList<>();
        for (String folder : List.of("", "docs", "bench", "docker")) {
            try (Stream<Path> files = Files.list(root.resolve(folder))) {
                for (Path file :
                        files.filter(each -> each.toString().endsWith(".md")).sorted().toList()) {
                    pages.add(new Page(root.relativize(file), Files.readAllLines(file)));
                }
            }
        }
        return pages;
    }

    int lengthBytes(Path root) throws IOException {
        return Math.toIntExact(Files.size(root.resolve(path)));
    }

    /** Links to something in the repository that is not there. */
    Stream<String> brokenLinks(Path root, List<Page> all) {
        return found(LINK)
                .map(link -> link.group(1))
                .filter(link -> !link.contains("://"))
                .filter(link -> !leadsSomewhere(link, root, all));
    }

    private boolean leadsSomewhere(String link, Path root, List<Page> all) {
        int hash = link.indexOf('#');
        Path target =
                hash == 0
                        ? path
                        : path.resolveSibling(hash < 0 ? link : link.substring(0, hash))
                                .normalize();
        return Files.exists(root.resolve(target))
                && (hash < 0
                        || all.stream()
                                .filter(page -> page.path.equals(target))
                                .anyMatch(page -> page.hasHeading(link.substring(hash + 1))));
    }

    private boolean hasHeading(String anchor) {
        return lines.stream()
                .filter(line -> line.startsWith("#"))
                .map(line -> line.replaceFirst("#+ ", "").toLowerCase(Locale.ROOT))
                .map(line -> line.replaceAll("[^a-z0-9 -]", "").replace(' ', '-'))
                .anyMatch(anchor::equals);
    }

    /** Simple names of the types that the page names. */
    Stream<String> types() {
        return found(TYPE).map(name -> name.group(1));
    }

    /** Options of commands that the page names. */
    Stream<String> options() {
        return found(OPTION).map(MatchResult::group);
    }

    private Stream<MatchResult> found(Pattern pattern) {
        return lines.stream().flatMap(line -> pattern.matcher(line).results());
    }
}
