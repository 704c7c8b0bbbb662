/** Tests of options with real processes. */
@NullMarked
package io.cairn.cli.option;

import org.jspecify.annotations.NullMarked;
