package io.cairn.admin.api;

import java.util.List;

/**
 * A parameter in the query of an address; always optional.
 *
 * @param shape Text, Whole, Flag or Choice
 */
public record Parameter(String name, Shape shape, String description) {
    /** Items of a page. */
    public static final int DEFAULT_LIMIT = 100;

    public static final Parameter LIMIT =
            new Parameter("limit", Shape.whole(1, 1000), "Items of a page; 100 unless told.");

    static final Parameter AFTER =
            new Parameter("after", Shape.text(), "The 'next' of the page before.");

    static final Parameter PLAN =
            new Parameter("plan", Shape.flag(), "Answer what would change, and change nothing.");

    /** The parameters of every list. */
    public static List<Parameter> paging() {
        return List.of(LIMIT, AFTER);
    }
}
