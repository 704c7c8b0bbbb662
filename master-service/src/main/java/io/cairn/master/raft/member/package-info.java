/**
 * Who the masters of a group are: founding, votes, joining and leaving.
 *
 * <p>The list of masters is the configuration of the Raft group, which stands in its log. What this
 * process was told at its start counts as long as it holds no log, and to find the others. Masters
 * tell each other about themselves ({@link io.cairn.master.raft.member.Hello}), twice a second.
 */
@NullMarked
package io.cairn.master.raft.member;

import org.jspecify.annotations.NullMarked;
