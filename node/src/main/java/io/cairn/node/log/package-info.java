/** The log of a process: its format, its levels, its file. */
@NullMarked
package io.cairn.node.log;

import org.jspecify.annotations.NullMarked;
