/** Placement groups: the turns of writes, the head that orders them, agreement, syncing, repair. */
@NullMarked
package io.cairn.chunk.group;

import org.jspecify.annotations.NullMarked;
