/** Tests of the command with real processes, real mounts and {@code kill -9}. */
@NullMarked
package io.cairn.system;

import org.jspecify.annotations.NullMarked;
