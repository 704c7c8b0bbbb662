/**
 * Traces: what one operation of a user makes several services do, and how long each of them takes.
 *
 * <p>A {@link io.cairn.trace.Span} is a stretch of work with a name, a begin and an end; its parent
 * is the work that asked for it, perhaps in another process. {@link io.cairn.trace.Scope} says what
 * the current thread works for, {@link io.cairn.trace.TraceContext} what goes over the network. The
 * maker of spans is behind {@link io.cairn.trace.Tracer}; without one nothing happens and nothing
 * is paid for.
 */
@NullMarked
package io.cairn.trace;

import org.jspecify.annotations.NullMarked;
