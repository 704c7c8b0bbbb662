/**
 * The replicated state: the layout of its keys, the {@link io.cairn.metadata.state.Store} seam, and
 * the transaction that gathers the changes of one log entry. Changes are committed together with
 * the position in the log.
 */
@NullMarked
package io.cairn.metadata.state;

import org.jspecify.annotations.NullMarked;
