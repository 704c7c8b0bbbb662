/**
 * The cluster as a part of the state: its identity, the cluster map, the level of the protocol, and
 * the small records of the administration (tokens, settings, the audit log), which are changed by
 * compare and set.
 */
@NullMarked
package io.cairn.metadata.cluster;

import org.jspecify.annotations.NullMarked;
