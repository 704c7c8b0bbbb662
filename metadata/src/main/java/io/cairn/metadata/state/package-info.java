/**
 * The replicated state: the layout of its keys, the {@link io.cairn.metadata.state.Store} seam, the
 * transaction that gathers the changes of one log entry, and the view for readers. Changes are
 * committed together with the position in the log. {@link io.cairn.metadata.state.RecordWriter}
 * alone changes records, and {@link io.cairn.metadata.state.View} alone shows them to queries: so a
 * history of records concerns these two.
 */
@NullMarked
package io.cairn.metadata.state;

import org.jspecify.annotations.NullMarked;
