package io.cairn.cli.api;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An answer of the API.
 *
 * @param text the document as it came; empty when there is none
 * @param document the same, parsed
 * @param etag names the state that it tells, without quotes; null when there is none
 */
public record ApiAnswer(String text, Map<String, Object> document, @Nullable String etag) {}
