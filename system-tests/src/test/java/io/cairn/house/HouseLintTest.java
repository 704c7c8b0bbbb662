package io.cairn.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.cairn.house.SourceTree.SourceFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Holds the sizes and the names of every source file, main and test trees alike. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HouseLintTest {
    private static final int MAX_FILE_LINES = 500;
    private static final int MAX_LINE_COLUMNS = 100;
    private static final int MAX_METHOD_LINES = 60;
    private static final int MAX_PARAMETERS = 6;

    /** Words that say that something is there, not what it is. */
    private static final Set<String> EMPTY_LAST_WORDS =
            Set.of(
                    "Manager",
                    "Helper",
                    "Helpers",
                    "Util",
                    "Utils",
                    "Impl",
                    "Base",
                    "Abstract",
                    "Default",
                    "Info",
                    "Data");

    private static final Set<String> EMPTY_FIRST_WORDS = Set.of("Abstract", "Base", "Default");

    private static final long MAX_PACKAGE_FILES = 25;

    private static final int MAX_SENTENCE_WORDS = 30;
    private static final int MAX_JAVADOC_SENTENCE_WORDS = 40;

    /** Pages that must stay short, in bytes. */
    private static final Map<String, Integer> MAX_PAGE_BYTES =
            Map.of("ARCHITECTURE.md", 25_000, "README.md", 15_000);

    /** Pages that tell of what was, and of the work of others. */
    private static final Set<String> HISTORY =
            Set.of("CHANGELOG.md", "bench/NOTES.md", "docker/README.md", "CONTRIBUTING.md");

    /** Options that picocli makes, or that other programs have. */
    private static final Set<String> OTHER_OPTIONS = Set.of("--help", "--now");

    private static final Pattern LAST_WORD = Pattern.compile("[A-Z][a-z0-9]*$");
    private static final Pattern FIRST_WORD = Pattern.compile("^[A-Z][a-z0-9]*");

    private static final Pattern CLAUSE = Pattern.compile("^ *(Who|Whoever|What|Whatever) ");

    /** Split, so that this file does not name itself. */
    private static final Pattern UNFINISHED = Pattern.compile("\\b(TO" + "DO|FIX" + "ME)\\b");

    private final SourceTree tree;
    private final Path root;
    private final List<Page> pages;

    HouseLintTest() throws IOException {
        root =
                Path.of(
                        Objects.requireNonNull(
                                System.getProperty("cairn.root"),
                                "-Dcairn.root is the root of the repository; ./mvnw sets it"));
        tree = SourceTree.read(root);
        pages = Page.read(root);
        assertFalse(tree.files().isEmpty(), "no source files below " + root);
    }

    @Test
    void filesAreShort() {
        report(
                "Files have at most " + MAX_FILE_LINES + " lines; give a concept its own file",
                tree.files().stream()
                        .filter(file -> file.lines().size() > MAX_FILE_LINES)
                        .map(file -> file.path() + ": " + file.lines().size() + " lines"));
    }

    @Test
    void packagesAreSmall() {
        Map<Path, Long> sizes =
                tree.files().stream()
                        .map(SourceFile::path)
                        .filter(path -> path.toString().contains("src/main/java/io/cairn/"))
                        .collect(
                                Collectors.groupingBy(
                                        path -> path.resolveSibling(""), Collectors.counting()));
        report(
                "Packages have at most " + MAX_PACKAGE_FILES + " files; find what belongs together",
                sizes.entrySet().stream()
                        .filter(each -> each.getValue() > MAX_PACKAGE_FILES)
                        .map(each -> each.getKey() + ": " + each.getValue() + " files"));
    }

    @Test
    void linesAreShort() {
        report(
                "Lines have at most " + MAX_LINE_COLUMNS + " columns; ./mvnw spotless:apply",
                lines(line -> !line.startsWith("import ") && columns(line) > MAX_LINE_COLUMNS));
    }

    @Test
    void methodsAreShort() {
        report(
                "Methods have at most " + MAX_METHOD_LINES + " lines; name the steps",
                tree.methods().stream()
                        .filter(method -> method.lineCount() > MAX_METHOD_LINES)
                        .map(
                                method ->
                                        "%s: %s has %d lines"
                                                .formatted(
                                                        method.place(),
                                                        method.name(),
                                                        method.lineCount())));
    }

    @Test
    void parametersAreFew() {
        report(
                "Methods have at most " + MAX_PARAMETERS + " parameters; find the missing record",
                tree.methods().stream()
                        .filter(method -> method.parameterCount() > MAX_PARAMETERS)
                        .map(
                                method ->
                                        "%s: %s has %d parameters"
                                                .formatted(
                                                        method.place(),
                                                        method.name(),
                                                        method.parameterCount())));
    }

    @Test
    void namesAreNounsOfTheField() {
        report(
                "Type names say what a thing is, not that it is one: end in none of "
                        + EMPTY_LAST_WORDS
                        + ", start with none of "
                        + EMPTY_FIRST_WORDS,
                tree.types().stream()
                        .filter(type -> isEmpty(type.name()))
                        .map(type -> type.place() + ": " + type.name()));
    }

    @Test
    void nothingIsLeftUnfinished() {
        report(
                "Work that is left goes to the tracker, not into the source",
                lines(line -> UNFINISHED.matcher(line).find()));
    }

    @Test
    void packagesExplainThemselves() {
        Set<Path> paths = tree.files().stream().map(SourceFile::path).collect(Collectors.toSet());
        report(
                "A package says in package-info.java what it is about",
                paths.stream()
                        .filter(path -> path.toString().contains("src/main/java/io/cairn/"))
                        .map(path -> path.resolveSibling("package-info.java"))
                        .distinct()
                        .filter(path -> !paths.contains(path))
                        .map(path -> path + " is missing"));
    }

    @Test
    void sentencesOfPagesAreShort() {
        assertTrue(pages.size() > 10, pages.size() + " pages");
        report(
                "Sentences of pages have at most " + MAX_SENTENCE_WORDS + " words; make two",
                pages.stream()
                        .flatMap(
                                page ->
                                        Prose.ofMarkdown(page.lines())
                                                .filter(each -> isLong(each, MAX_SENTENCE_WORDS))
                                                .map(each -> page.path() + ": " + each)));
    }

    @Test
    void sentencesOfPagesHaveSubjects() {
        report(
                "A clause with who or what is no subject; take the noun of the field",
                pages.stream()
                        .flatMap(
                                page ->
                                        Prose.ofMarkdown(page.lines())
                                                .filter(CLAUSE.asPredicate())
                                                .filter(each -> !each.strip().endsWith("?"))
                                                .map(each -> page.path() + ": " + each)));
    }

    @Test
    void sentencesOfJavadocAreShort() {
        report(
                "Sentences of Javadoc have at most "
                        + MAX_JAVADOC_SENTENCE_WORDS
                        + " words; make two",
                tree.files().stream()
                        .flatMap(
                                file ->
                                        Prose.ofJavadoc(file.lines())
                                                .filter(
                                                        each ->
                                                                isLong(
                                                                        each,
                                                                        MAX_JAVADOC_SENTENCE_WORDS))
                                                .map(each -> file.path() + ": " + each)));
    }

    private static boolean isLong(String sentence, int maxWords) {
        return Prose.words(sentence) > maxWords;
    }

    @Test
    void pagesAreShort() throws IOException {
        for (Page page : pages) {
            int limit = MAX_PAGE_BYTES.getOrDefault(page.path().toString(), Integer.MAX_VALUE);
            int length = page.lengthBytes(root);
            assertTrue(length <= limit, page.path() + " has " + length + " bytes, not " + limit);
        }
    }

    @Test
    void pagesNameOnlyWhatThereIs() {
        Set<String> types =
                tree.types().stream().map(SourceTree.Type::name).collect(Collectors.toSet());
        String main =
                tree.files().stream()
                        .filter(file -> file.path().toString().contains("src/main/"))
                        .flatMap(file -> file.lines().stream())
                        .filter(line -> line.contains("\"--"))
                        .collect(Collectors.joining("\n"));
        report(
                "Links of pages lead somewhere, and types and options are there",
                pages.stream()
                        .flatMap(
                                page ->
                                        Stream.of(
                                                        page.brokenLinks(root, pages),
                                                        named(page, types, main))
                                                .flatMap(each -> each)
                                                .map(each -> page.path() + ": " + each)));
    }

    private static Stream<String> named(Page page, Set<String> types, String options) {
        if (HISTORY.contains(page.path().toString())) {
            return Stream.empty();
        }
        return Stream.concat(
                page.types().filter(each -> !types.contains(each)),
                page.options()
                        .filter(each -> !OTHER_OPTIONS.contains(each))
                        .filter(each -> !options.contains('"' + each + '"')));
    }

    @Test
    void proseIsMadeOfSentences() {
        List<String> page =
                List.of(
                        "# A heading",
                        "One `two three` four. Five",
                        "[six](x.md) 7?",
                        "",
                        "    code that is none",
                        "    Nor this.",
                        "",
                        "| a | table |",
                        "- An item",
                        "  goes on. It ends.",
                        "- The next");
        assertEquals(
                List.of(
                        "One CODE four.",
                        "Five six 7?",
                        "An item goes on.",
                        "It ends.",
                        "The next"),
                Prose.ofMarkdown(page).map(String::strip).filter(s -> !s.isEmpty()).toList());
        List<String> source =
                List.of(
                        "/**",
                        " * Reads {@code a b}, see {@link Some#thing the thing}.",
                        " *",
                        " * <p>Blocks. <pre>not. This</pre>",
                        " *",
                        " * @param name of it",
                        " */");
        assertEquals(
                List.of("Reads CODE, see the thing.", "Blocks.", "of it"),
                Prose.ofJavadoc(source).map(String::strip).filter(s -> !s.isEmpty()).toList());
        assertEquals(3, Prose.words("One, CODE - two."));
    }

    @Test
    void emptyNamesAreKnown() {
        assertTrue(isEmpty("SessionManager"));
        assertTrue(isEmpty("AbstractStore"));
        assertTrue(isEmpty("FileInfo"));
        assertFalse(isEmpty("Metadata"));
        assertFalse(isEmpty("Base64Codec"));
        assertFalse(isEmpty("DataObject"));
    }

    private static boolean isEmpty(String name) {
        Matcher last = LAST_WORD.matcher(name);
        Matcher first = FIRST_WORD.matcher(name);
        return (last.find() && EMPTY_LAST_WORDS.contains(last.group()))
                || (first.find() && EMPTY_FIRST_WORDS.contains(first.group()));
    }

    private static int columns(String line) {
        return line.codePointCount(0, line.length());
    }

    /** The places of all lines that {@code offends}, as {@code path:line}. */
    private Stream<String> lines(Predicate<String> offends) {
        return tree.files().stream()
                .flatMap(
                        file ->
                                IntStream.range(0, file.lines().size())
                                        .filter(i -> offends.test(file.lines().get(i)))
                                        .mapToObj(i -> file.path() + ":" + (i + 1)));
    }

    private static void report(String law, Stream<String> offences) {
        List<String> found = offences.sorted().toList();
        if (!found.isEmpty()) {
            fail(law + ":\n  " + String.join("\n  ", found));
        }
    }
}
