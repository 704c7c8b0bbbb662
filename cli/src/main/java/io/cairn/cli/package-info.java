/**
 * The {@code cairn} command.
 *
 * <p>One program holds every role: a master, a chunk server, a mount, all of them in one process
 * for a single machine, and the commands of an operator. Exit codes are those of {@code
 * sysexits.h}; an error is one line that names the thing and the remedy.
 */
@NullMarked
package io.cairn.cli;

import org.jspecify.annotations.NullMarked;
