/**
 * Checks of the whole state: every object is referred to or queued as garbage, link counts match
 * the names, the tree is connected, sessions and locks belong together. Tests and the simulation
 * run them after every history. They read a store and change nothing.
 */
@NullMarked
package io.cairn.metadata.check;

import org.jspecify.annotations.NullMarked;
