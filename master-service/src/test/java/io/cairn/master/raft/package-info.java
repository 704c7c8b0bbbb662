/** Tests of {@code master.raft}. */
@NullUnmarked
package io.cairn.master.raft;

import org.jspecify.annotations.NullUnmarked;
