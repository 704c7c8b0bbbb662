/**
 * Finds damage before anybody reads it, and sees that it is mended.
 *
 * <p>{@code Scrub} reads all blobs of one target, one after the other, within the period that the
 * masters tell. It takes a share of the disk's time, and waits while the disk works for others. The
 * head of a group compares the copies of its chunks when it has read its own. {@code Mending}
 * brings each blob that is known to be damaged to the head of its group, whoever has found it, and
 * keeps what became of it for the heartbeats. The head replaces it ({@code Repair}).
 *
 * <p>{@code Packing} makes the blobs smaller that rest, where their pool asks for it. It belongs
 * here because it goes through all blobs at the same pace. Each server packs its own copies.
 */
@NullMarked
package io.cairn.chunk.scrub;

import org.jspecify.annotations.NullMarked;
