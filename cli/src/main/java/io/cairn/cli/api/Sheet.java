package io.cairn.cli.api;

import io.cairn.base.Printable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One document as lines of name and value; objects within it indented, arrays of objects as tables.
 * Immutable.
 */
public final class Sheet {
    private static final String INDENT = "  ";

    private final Values values;
    private final Screen screen;

    /** Sheets for a screen. */
    public Sheet(Values values, Screen screen) {
        this.values = values;
        this.screen = screen;
    }

    /** The lines of a document. */
    public List<String> lines(Map<?, ?> document) {
        List<String> lines = new ArrayList<>();
        write(document, "", lines);
        return lines;
    }

    private void write(Map<?, ?> document, String indent, List<String> lines) {
        Map<String, @Nullable Object> plain = new LinkedHashMap<>();
        Map<String, Object> nested = new LinkedHashMap<>();
        document.forEach(
                (key, value) -> {
                    if (value != null && isNested(value)) {
                        nested.put(String.valueOf(key), value);
                    } else {
                        plain.put(String.valueOf(key), value);
                    }
                });
        int width = plain.keySet().stream().mapToInt(k -> Values.words(k).length()).max().orElse(0);
        plain.forEach(
                (key, value) -> {
                    String name = Values.words(Printable.of(key));
                    String pad = " ".repeat(Math.max(0, width - name.length()));
                    String line = indent + name + pad + INDENT + values.text(key, value);
                    lines.add(screen.cut(line, screen.columns()));
                });
        nested.forEach((key, value) -> writeNested(key, value, indent, lines));
    }

    private static boolean isNested(Object value) {
        return (value instanceof Map<?, ?> map && !map.isEmpty())
                || (value instanceof List<?> list
                        && list.stream().anyMatch(each -> each instanceof Map));
    }

    private void writeNested(String key, Object value, String indent, List<String> lines) {
        lines.add(indent + Values.words(Printable.of(key)));
        if (value instanceof Map<?, ?> map) {
            write(map, indent + INDENT, lines);
        } else if (value instanceof List<?> list) {
            int columns = screen.columns() - indent.length() - INDENT.length();
            Screen inner = new Screen(columns, screen.isTerminal(), screen.ellipsis());
            Table.ofAll(list, values, inner)
                    .lines(list)
                    .forEach(line -> lines.add(indent + INDENT + line));
        }
    }
}
