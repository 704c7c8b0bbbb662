/** The command that verifies a cluster of this program by breaking it. */
@NullMarked
package io.cairn.cli.verify;

import org.jspecify.annotations.NullMarked;
