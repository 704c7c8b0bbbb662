package io.cairn.metadata.state;

/**
 * A moment in the history of the state.
 *
 * @param version the last mutation that it knows of, as in {@link Keys}
 */
public record Moment(long version) {
    /** As far as this master has applied the log. */
    public static final Moment NOW = new Moment(Long.MAX_VALUE);
}
