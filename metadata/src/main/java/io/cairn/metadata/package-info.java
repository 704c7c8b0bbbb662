/**
 * The namespace: executes mutations in log order and answers from the committed state. No network,
 * no clock, no threads.
 */
@NullMarked
package io.cairn.metadata;

import org.jspecify.annotations.NullMarked;
