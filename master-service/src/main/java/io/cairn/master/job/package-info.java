/** The pace of tree jobs, whose work and progress are in the replicated state. */
@NullMarked
package io.cairn.master.job;

import org.jspecify.annotations.NullMarked;
