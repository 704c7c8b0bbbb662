/** The commands {@code cairn fs}: paths, policies, trees. */
@NullMarked
package io.cairn.cli.fs;

import org.jspecify.annotations.NullMarked;
