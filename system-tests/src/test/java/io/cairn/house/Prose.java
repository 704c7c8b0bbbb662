package io.cairn.house;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The sentences of a Markdown page or of the Javadoc of a Java file. Code, tables and headings are
 * no sentences. A piece of code within a sentence counts as one word.
 */
final class Prose {
    private static final String CODE = "CODE";

    private static final Pattern SENTENCE_END =
            Pattern.compile("(?<=[.!?])[\"')]*\\s+(?=[A-Z\"'(\\d`])");

    private static final Pattern WORD = Pattern.compile("\\S*[A-Za-z0-9]\\S*");
    private static final Pattern LIST_ITEM = Pattern.compile("\\s*(?:[-*]|\\d+\\.)\\s+(.*)");
    private static final Pattern MARKDOWN_CODE = Pattern.compile("`[^`]*`");
    private static final Pattern MARKDOWN_LINK = Pattern.compile("!?\\[([^]]*)]\\([^)]*\\)");
    private static final Pattern MARKDOWN_COMMENT = Pattern.compile("<!--.*?-->", Pattern.DOTALL);

    private static final Pattern JAVADOC =
            Pattern.compile("^[ \\t]*/\\*\\*(.*?)\\*/", Pattern.DOTALL | Pattern.MULTILINE);

    private static final Pattern JAVADOC_MARGIN = Pattern.compile("^\\s*\\* ?", Pattern.MULTILINE);
    private static final Pattern PRE = Pattern.compile("<pre>.*?</pre>", Pattern.DOTALL);
    private static final Pattern INLINE_CODE =
            Pattern.compile("\\{@(?:code|value)[^}]*}|\\{@link(?:plain)?\\s+[^\\s}]+}");
    private static final Pattern LABELLED_LINK =
            Pattern.compile("\\{@link(?:plain)?\\s+[^\\s}]+\\s+([^}]*)}");
    private static final Pattern BLOCK_ELEMENT =
            Pattern.compile("</?(?:p|li|ul|ol|h[1-6]|table|tr|td|th|dl|dt|dd|br)(?: [^>]*)?/?>");
    private static final Pattern ELEMENT = Pattern.compile("</?[a-z][^>]*>");
    private static final Pattern BLOCK_TAG =
            Pattern.compile("^@(?:param\\s+\\S+|throws\\s+\\S+|see.*|\\w+)", Pattern.MULTILINE);

    private Prose() {}

    /** The sentences of a page. */
    static Stream<String> ofMarkdown(List<String> lines) {
        return paragraphs(lines).stream()
                .map(text -> MARKDOWN_CODE.matcher(text).replaceAll(CODE))
                .map(text -> MARKDOWN_LINK.matcher(text).replaceAll("$1").replace("*", ""))
                .flatMap(SENTENCE_END::splitAsStream);
    }

    /** Lines of a page that belong together, without code, tables and headings. */
    private static List<String> paragraphs(List<String> lines) {
        String text = MARKDOWN_COMMENT.matcher(String.join("\n", lines)).replaceAll("");
        List<String> found = new ArrayList<>();
        StringBuilder open = new StringBuilder();
        boolean fenced = false;
        boolean list = false;
        boolean blankBefore = true;
        for (String line : text.split("\n", -1)) {
            Matcher item = LIST_ITEM.matcher(line);
            boolean fence = line.strip().startsWith("```");
            boolean isItem = !fenced && !fence && item.matches();
            boolean blank = line.isBlank();
            boolean code = fenced || (!list && blankBefore && line.startsWith("    "));
            fenced ^= fence;
            if (blank || fence || isItem || line.startsWith("|") || line.startsWith("#")) {
                found.add(open.toString());
                open.setLength(0);
            }
            if (isItem) {
                list = true;
                open.append(item.group(1));
            } else if (!blank && !fence && !code && !line.matches("[|#].*")) {
                list &= line.startsWith(" ") || !blankBefore;
                open.append(' ').append(line.strip());
            }
            blankBefore = blank || code;
        }
        found.add(open.toString());
        return found;
    }

    /** The sentences of the Javadoc of a file. */
    static Stream<String> ofJavadoc(List<String> lines) {
        return JAVADOC.matcher(String.join("\n", lines))
                .results()
                .map(comment -> plain(comment.group(1)))
                .flatMap(text -> Stream.of(text.split("\n\\s*\n")))
                .map(paragraph -> paragraph.strip().replaceAll("\\s+", " "))
                .flatMap(SENTENCE_END::splitAsStream);
    }

    private static String plain(String comment) {
        String text = JAVADOC_MARGIN.matcher(comment).replaceAll("");
        text = PRE.matcher(text).replaceAll("\n\n");
        text = INLINE_CODE.matcher(text).replaceAll(CODE);
        text = LABELLED_LINK.matcher(text).replaceAll("$1");
        text = BLOCK_ELEMENT.matcher(text).replaceAll("\n\n");
        text = ELEMENT.matcher(text).replaceAll("");
        return BLOCK_TAG.matcher(text).replaceAll("\n\n");
    }

    /** How many words a sentence has. */
    static int words(String sentence) {
        return (int) WORD.matcher(sentence).results().count();
    }
}
