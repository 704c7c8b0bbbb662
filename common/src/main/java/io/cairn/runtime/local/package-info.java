/**
 * Processes of one machine with each other: open files that are passed over a socket, and memory
 * that both see. Linux only.
 */
@NullMarked
package io.cairn.runtime.local;

import org.jspecify.annotations.NullMarked;
