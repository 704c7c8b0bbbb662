/** The replicated state: keys, the store, and what an entry of the log changes in it. */
@NullMarked
package io.cairn.metadata.state;

import org.jspecify.annotations.NullMarked;
