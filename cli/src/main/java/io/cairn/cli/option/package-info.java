/** Options that several commands have, and how their values are read. */
@NullMarked
package io.cairn.cli.option;

import org.jspecify.annotations.NullMarked;
