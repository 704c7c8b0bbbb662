/**
 * Snapshots. One is a record with the version of the last mutation that it shows. Mutations that
 * come later keep what they replace ({@link io.cairn.metadata.state.RecordWriter}) and hold what
 * they release ({@code ObjectLedger}), so that taking and dropping one cost the same whatever the
 * size of its tree. What a dropped one has kept is swept in steps.
 *
 * <p>Contents in chunks are changed in place. So no snapshot is taken before all chunk servers
 * refuse changes of the objects that exist. {@link io.cairn.metadata.snapshot.SnapshotTable#begin}
 * names the first object that may be changed from then on. {@link
 * io.cairn.metadata.snapshot.SnapshotTable#finish} makes the snapshot once the servers are known to
 * keep to it. Files get new objects, cloned from the old ones, chunk by chunk as they are written.
 */
@NullMarked
package io.cairn.metadata.snapshot;

import org.jspecify.annotations.NullMarked;
