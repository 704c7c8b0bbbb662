/** Tests of the command with real processes, real mounts and {@code kill -9}. */
@NullMarked
package io.cairn.cli;

import org.jspecify.annotations.NullMarked;
