package io.cairn.admin.api;

import io.cairn.base.Spelling;
import java.math.BigInteger;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Holds values against shapes; what does not fit is a {@link Problem} that names the field. */
public final class ShapeCheck {
    private ShapeCheck() {}

    /** Checks a JSON value; {@code where} names it, such as {@code clients[0].host}. */
    public static void check(Shape shape, @Nullable Object value, String where) {
        switch (shape) {
            case Shape.Text text -> checkText(text, value, where);
            case Shape.Time _ -> checkTime(value, where);
            case Shape.Whole whole -> checkWhole(whole, value, where);
            case Shape.Decimal _ -> require(value instanceof Number, where, "a number", value);
            case Shape.Flag _ -> require(value instanceof Boolean, where, "true or false", value);
            case Shape.Choice choice -> checkChoice(choice, value, where);
            case Shape.Items items -> checkItems(items, value, where);
            case Shape.Table table -> checkTable(table, value, where);
            case Shape.Fields fields -> checkFields(fields, value, where);
            case Shape.Anything _ -> {}
        }
    }

    /** Checks a value of the query, which is always a text. */
    static void checkText(Parameter parameter, String value) {
        Object typed =
                switch (parameter.shape()) {
                    case Shape.Whole _ -> wholeOf(value);
                    case Shape.Flag _ -> flagOf(value);
                    default -> value;
                };
        check(parameter.shape(), typed, parameter.name());
    }

    private static Object wholeOf(String value) {
        try {
            return Long.valueOf(value);
        } catch (NumberFormatException e) {
            return value;
        }
    }

    private static Object flagOf(String value) {
        return switch (value) {
            case "true" -> true;
            case "false" -> false;
            default -> value;
        };
    }

    private static void require(
            boolean isRight, String where, String wanted, @Nullable Object value) {
        if (!isRight) {
            throw Problem.invalid(
                    where, "'" + where + "' must be " + wanted + ", not " + told(value));
        }
    }

    private static String told(@Nullable Object value) {
        return switch (value) {
            case null -> "null.";
            case String text when text.length() > 60 -> "'" + text.substring(0, 60) + "...'.";
            case String text -> "'" + text + "'.";
            case Number number -> number + ".";
            case Boolean flag -> flag + ".";
            case List<?> _ -> "an array.";
            case Map<?, ?> _ -> "an object.";
            default -> "that.";
        };
    }

    private static void checkText(Shape.Text text, @Nullable Object value, String where) {
        require(value instanceof String, where, "a text", value);
        require(
                String.valueOf(value).length() <= text.maxLength(),
                where,
                "at most " + text.maxLength() + " characters long",
                value);
    }

    private static void checkTime(@Nullable Object value, String where) {
        String wanted = "a time such as 2030-01-31T12:00:00Z";
        require(value instanceof String, where, wanted, value);
        try {
            Instant.parse(String.valueOf(value));
        } catch (DateTimeParseException e) {
            require(false, where, wanted, value);
        }
    }

    private static void checkWhole(Shape.Whole whole, @Nullable Object value, String where) {
        String wanted =
                whole.max() == Long.MAX_VALUE
                        ? "a whole number from " + whole.min() + " on"
                        : "a whole number from " + whole.min() + " to " + whole.max();
        boolean isWhole = value instanceof Integer || value instanceof Long;
        require(isWhole || value instanceof BigInteger, where, wanted, value);
        long number = isWhole && value instanceof Number n ? n.longValue() : -1;
        require(isWhole && number >= whole.min() && number <= whole.max(), where, wanted, value);
    }

    private static void checkChoice(Shape.Choice choice, @Nullable Object value, String where) {
        if (!(value instanceof String text) || !choice.values().contains(text)) {
            throw Problem.invalid(
                    where,
                    "'%s' must be one of %s, not %s%s"
                            .formatted(
                                    where,
                                    String.join(", ", choice.values()),
                                    told(value),
                                    Spelling.hint(choice.values(), String.valueOf(value))),
                    choice.values());
        }
    }

    private static void checkItems(Shape.Items items, @Nullable Object value, String where) {
        if (!(value instanceof List<?> list)) {
            throw Problem.invalid(where, "'" + where + "' must be an array, not " + told(value));
        }
        require(list.size() <= items.maxItems(), where, "at most " + items.maxItems(), value);
        for (int i = 0; i < list.size(); i++) {
            check(items.item(), list.get(i), where + "[" + i + "]");
        }
    }

    private static void checkTable(Shape.Table table, @Nullable Object value, String where) {
        if (!(value instanceof Map<?, ?> map)) {
            throw Problem.invalid(where, "'" + where + "' must be an object, not " + told(value));
        }
        require(
                map.size() <= table.maxEntries(),
                where,
                "an object of at most " + table.maxEntries() + " entries",
                value);
        map.forEach((key, each) -> check(table.value(), each, where + "." + key));
    }

    private static void checkFields(Shape.Fields fields, @Nullable Object value, String where) {
        if (!(value instanceof Map<?, ?> map)) {
            throw Problem.invalid(where, "'" + where + "' must be an object, not " + told(value));
        }
        List<String> known = fields.fields().stream().map(Field::name).toList();
        for (Object key : map.keySet()) {
            String name = String.valueOf(key);
            if (!known.contains(name)) {
                throw Problem.unknown(
                        inside(where, name),
                        "There is no field '"
                                + inside(where, name)
                                + "'."
                                + Spelling.hint(known, name),
                        known);
            }
        }
        for (Field field : fields.fields()) {
            Object each = map.get(field.name());
            if (each != null) {
                check(field.shape(), each, inside(where, field.name()));
            } else if (field.required()) {
                throw Problem.invalid(
                        inside(where, field.name()),
                        "'" + inside(where, field.name()) + "' is missing: " + field.description());
            }
        }
    }

    private static String inside(String where, String name) {
        return where.isEmpty() ? name : where + "." + name;
    }
}
