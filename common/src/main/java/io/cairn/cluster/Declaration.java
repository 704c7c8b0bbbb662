package io.cairn.cluster;

/**
 * What an operator says about a chunk server when it starts.
 *
 * @param adopts whether targets of other servers moved here for good, or older copies of its own
 *     are to be used
 * @param replaces whether targets that the server had and does not have any more were replaced
 * @param labels where it stands
 */
public record Declaration(boolean adopts, boolean replaces, Labels labels) {
    /** Nothing. */
    public static final Declaration NONE = new Declaration(false, false, Labels.NONE);

    /** The same for a server that stands there. */
    public Declaration labelled(Labels where) {
        return new Declaration(adopts, replaces, where);
    }
}
