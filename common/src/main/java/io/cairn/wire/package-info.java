/**
 * Everything that is said between the services, and its encoding. A message is a record with {@code
 * encode} beside its {@code decode}; a request begins with its type code, so that a log entry, a
 * frame and a stored reply hold the very same bytes. Numbers are big-endian; counts and lengths are
 * bounded by {@link io.cairn.wire.Limits} before anything is allocated. A decoder ignores bytes
 * after the fields that it knows: a younger peer may append fields.
 */
@org.jspecify.annotations.NullMarked
package io.cairn.wire;
