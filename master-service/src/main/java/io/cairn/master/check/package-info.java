/**
 * The check of a running cluster ({@code cairn fsck}): the invariants of a snapshot of the state,
 * and the chunks that chunk servers hold against the layouts of files.
 *
 * <p>Nothing stops meanwhile, so chunks are made and deleted while they are looked at. A fault of
 * chunks is told only when a second look, at a later snapshot, still finds it.
 *
 * <p>What a check can know: a chunk without a blob may be a hole. So chunks are told as missing
 * only of files that were never cut, where the bytes in use are known exactly.
 *
 * <p>{@link io.cairn.master.check.TreeScrub} has the bytes of the files of a tree verified on all
 * copies ({@code cairn admin scrub PATH}).
 */
@NullMarked
package io.cairn.master.check;

import org.jspecify.annotations.NullMarked;
