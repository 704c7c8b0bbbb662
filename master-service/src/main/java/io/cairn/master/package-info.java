/**
 * The master: keeper of the namespace and of the cluster map.
 *
 * <p>Masters form one Raft group. A request that changes something is logged as the bytes it came
 * in and is decoded and executed once, when it is applied, in the same order and with the same
 * result on every master. Reads are answered by the leader from its applied state. This package
 * holds the wiring and the request door; the rooms behind it are the namespace core, the store
 * beneath it, the Raft group around it and the cluster's decisions.
 */
@NullMarked
package io.cairn.master;

import org.jspecify.annotations.NullMarked;
