/**
 * Traces as OpenTelemetry has them: what {@link io.cairn.trace} tells becomes spans of its SDK,
 * which are sampled where an operation begins and go to a collector in batches, over HTTP. Nobody
 * else imports OpenTelemetry.
 */
@NullMarked
package io.cairn.node.trace;

import org.jspecify.annotations.NullMarked;
