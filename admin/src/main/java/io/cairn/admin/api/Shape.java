package io.cairn.admin.api;

import java.util.List;

/**
 * The form of a JSON value: for checking input, for the OpenAPI document, and for the tests, which
 * check the output.
 */
public sealed interface Shape {
    /** Any text of at most so many characters. */
    record Text(int maxLength) implements Shape {}

    /** A time, ISO-8601 in UTC. */
    record Time() implements Shape {}

    /** A whole number within bounds, both included. */
    record Whole(long min, long max) implements Shape {}

    /** A number. */
    record Decimal() implements Shape {}

    /** True or false. */
    record Flag() implements Shape {}

    /** One of some texts. */
    record Choice(List<String> values) implements Shape {}

    /** An array of at most so many items. */
    record Items(Shape item, int maxItems) implements Shape {}

    /** An object with any keys. */
    record Table(Shape value, int maxEntries) implements Shape {}

    /** An object with known fields. */
    record Fields(List<Field> fields) implements Shape {}

    /** Anything, for instance what changes from and to. */
    record Anything() implements Shape {}

    /** Text of up to 4096 characters. */
    static Shape text() {
        return new Text(4096);
    }

    /** A time. */
    static Shape time() {
        return new Time();
    }

    /** A count, a size, a time in some unit: 0 or more. */
    static Shape count() {
        return new Whole(0, Long.MAX_VALUE);
    }

    /** A whole number within bounds. */
    static Shape whole(long min, long max) {
        return new Whole(min, max);
    }

    /** True or false. */
    static Shape flag() {
        return new Flag();
    }

    /** One of some texts. */
    static Shape choice(List<String> values) {
        return new Choice(values);
    }

    /** An array. */
    static Shape items(Shape item) {
        return new Items(item, 10_000);
    }

    /** An object with these fields. */
    static Shape fields(Field... fields) {
        return new Fields(List.of(fields));
    }

    /** A page of a list: an array and the place where the next page begins. */
    static Shape page(Shape item) {
        return fields(
                Field.of("items", items(item), "The items of this page, in a fixed order."),
                Field.maybe(
                        "next", text(), "Give it as 'after' for the next page; null at the end."));
    }
}
