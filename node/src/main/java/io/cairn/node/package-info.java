/**
 * The processes of Cairn: what a master, a chunk server, a mount, an NFS gateway, and all of them
 * in one process are composed of.
 *
 * <p>{@link io.cairn.node.ProcessContext} holds what a process has once: network, clock, timer,
 * randomness, metrics, traces. A node takes it, builds its service from it, and closes what it made
 * in the order of {@link io.cairn.node.Closing}. A node that cannot start throws a {@link
 * io.cairn.node.CommandException}, whose message names the thing and the remedy.
 */
@NullMarked
package io.cairn.node;

import org.jspecify.annotations.NullMarked;
