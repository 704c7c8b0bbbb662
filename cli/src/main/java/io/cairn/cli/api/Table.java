package io.cairn.cli.api;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Objects as lines of a table that is no wider than the terminal: what is too long ends with an
 * ellipsis, the widest column of text first; numbers stand at the right and whole. Immutable.
 */
public final class Table {
    private static final String GAP = "  ";
    private static final int LEAST_WIDTH = 5;

    private final List<Column> columns;
    private final Values values;
    private final Screen screen;

    /**
     * A column: where its values are in each object ({@code lease.leftMs}), and what it is called.
     */
    private record Column(String path, String header) {
        String field() {
            return path.substring(path.lastIndexOf('.') + 1);
        }

        @Nullable Object of(Map<?, ?> object) {
            Object value = object;
            for (String key : path.split("\\.", -1)) {
                value = value instanceof Map<?, ?> map ? map.get(key) : null;
            }
            return value;
        }
    }

    /**
     * A table of some fields.
     *
     * @param columns their names, separated by blanks; {@code field:header} where the field's own
     *     name in words will not do
     */
    public Table(String columns, Values values, Screen screen) {
        List<Column> all = new ArrayList<>();
        for (String each : columns.split(" ", -1)) {
            int colon = each.indexOf(':');
            String path = colon < 0 ? each : each.substring(0, colon);
            String last = path.substring(path.lastIndexOf('.') + 1);
            String header = colon < 0 ? Values.words(last) : each.substring(colon + 1);
            all.add(new Column(path, header.toUpperCase(Locale.ROOT)));
        }
        this.columns = List.copyOf(all);
        this.values = values;
        this.screen = screen;
    }

    /** A table of all fields of the objects, in the order of their first appearance. */
    static Table ofAll(List<?> items, Values values, Screen screen) {
        List<String> names = new ArrayList<>();
        for (Object item : items) {
            if (item instanceof Map<?, ?> map) {
                map.keySet().stream()
                        .map(String::valueOf)
                        .filter(n -> !names.contains(n))
                        .forEach(names::add);
            }
        }
        return new Table(String.join(" ", names), values, screen);
    }

    /** The lines: a header, then one for each object. */
    public List<String> lines(List<?> items) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(columns.stream().map(Column::header).toList());
        boolean[] isNumeric = new boolean[columns.size()];
        for (int i = 0; i < isNumeric.length; i++) {
            isNumeric[i] = isNumeric(columns.get(i), items);
        }
        for (Object item : items) {
            List<String> row = new ArrayList<>();
            for (int i = 0; i < columns.size(); i++) {
                Column column = columns.get(i);
                Object value = item instanceof Map<?, ?> map ? column.of(map) : null;
                row.add(values.text(column.field(), value));
            }
            rows.add(row);
        }
        int[] widths = widths(rows, isNumeric);
        return rows.stream().map(row -> line(row, widths, isNumeric)).toList();
    }

    /** Whether all values that are there are numbers, and some are. */
    private static boolean isNumeric(Column column, List<?> items) {
        List<Object> there = new ArrayList<>();
        for (Object item : items) {
            Object value = item instanceof Map<?, ?> map ? column.of(map) : null;
            if (value != null) {
                there.add(value);
            }
        }
        return !there.isEmpty() && there.stream().allMatch(each -> each instanceof Number);
    }

    private int[] widths(List<List<String>> rows, boolean[] isNumeric) {
        int[] widths = new int[columns.size()];
        int total = GAP.length() * (widths.length - 1);
        for (int i = 0; i < widths.length; i++) {
            for (List<String> row : rows) {
                widths[i] = Math.max(widths[i], length(row.get(i)));
            }
            total += widths[i];
        }
        int widest = widestText(widths, isNumeric);
        while (total > screen.columns() && widest >= 0) {
            widths[widest]--;
            total--;
            widest = widestText(widths, isNumeric);
        }
        return widths;
    }

    /** Which column can be made narrower; numbers cannot. Negative when there is none. */
    private static int widestText(int[] widths, boolean[] isNumeric) {
        int widest = -1;
        for (int i = 0; i < widths.length; i++) {
            if (!isNumeric[i]
                    && widths[i] > LEAST_WIDTH
                    && (widest < 0 || widths[i] > widths[widest])) {
                widest = i;
            }
        }
        return widest;
    }

    private String line(List<String> row, int[] widths, boolean[] isNumeric) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String text = screen.cut(row.get(i), widths[i]);
            String pad = " ".repeat(Math.max(0, widths[i] - length(text)));
            line.append(i == 0 ? "" : GAP);
            line.append(isNumeric[i] ? pad + text : text + pad);
        }
        return screen.cut(line.toString().stripTrailing(), screen.columns());
    }

    private static int length(String text) {
        return Objects.requireNonNull(text).codePointCount(0, text.length());
    }
}
