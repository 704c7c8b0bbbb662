package io.cairn.admin.api;

/**
 * A field of a JSON object.
 *
 * @param required whether it must be there; one that need not be may also be null
 * @param description a sentence for the OpenAPI document
 */
public record Field(String name, Shape shape, boolean required, String description) {
    /** A field that must be there. */
    public static Field of(String name, Shape shape, String description) {
        return new Field(name, shape, true, description);
    }

    /** A field that may be missing. */
    public static Field maybe(String name, Shape shape, String description) {
        return new Field(name, shape, false, description);
    }
}
