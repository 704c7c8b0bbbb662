package io.cairn.metadata.state;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a scan of the past. Immutable but for the arrays, which nobody changes.
 *
 * @param entries those that were there at the moment, in order; perhaps none
 * @param last the last key that was looked at; null when there are no more
 * @param read how many records were read for it
 */
public record PastPage(List<Transaction.Entry> entries, byte @Nullable [] last, int read) {}
