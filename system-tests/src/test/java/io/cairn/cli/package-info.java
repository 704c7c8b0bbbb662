/** Tests of the command's words, over all commands. */
@NullMarked
package io.cairn.cli;

import org.jspecify.annotations.NullMarked;
