/**
 * The chunk server: keeper of file contents.
 *
 * <p>A chunk server owns one or more targets, each a directory on one disk ({@link
 * io.cairn.chunk.store}), and belongs to the placement groups that the cluster map assigns to its
 * targets. {@link io.cairn.chunk.ChunkService} wires it; {@code ChunkRequestHandler} takes
 * requests, a group's {@code GroupService} does the work, {@code StorageTarget} stores: three
 * rooms.
 *
 * <h2>Epochs and leases</h2>
 *
 * A server acts in a group only in the epoch that its own map says ({@code Term}) and only while
 * its lease from the leader of the masters runs; both are checked before acting and again before
 * answering. A request with another epoch gets WRONG_EPOCH; a younger one makes the server stop in
 * that group and ask the master at once ({@code EpochFence}). The master takes a member out of a
 * group only when the lease of its server has ended, or its server has left. One that another
 * member cannot reach goes sooner: a server answers reads only for a short while after its last
 * answered heartbeat ({@code Lease.allowsReads}), and its writes need the other members, which
 * follow the new epoch. After a restart a server does nothing in a group until the map knows its
 * new incarnation: the master has then decided what the restart means.
 *
 * <h2>Writes</h2>
 *
 * The head of a group (its first SERVING member) orders the changes of each chunk ({@code
 * ChunkTurns}: one at a time per chunk, chunks in parallel). It merges partial blocks and gives the
 * next sequence number. It sends the change to all other current members (SERVING and SYNCING) and
 * applies it itself ({@code FanOut}). It acknowledges when every current member has it. A change
 * names its predecessor (epoch, sequence); a member that stands elsewhere leaves its replica alone
 * and says so, and gets the whole chunk installed before the change is acknowledged. A member that
 * fails, takes 5 s, or whose process greets nobody any more is reported to the master, and the
 * client is told WRONG_EPOCH: it sends the operation again, to the head of the next epoch. A client
 * that cannot reach the head asks another member, which hands the request on, or reports the head
 * ({@code Relays}). Operations applied are remembered (the last 64 of a chunk), so a resend is
 * applied once. A member without room makes the change undone everywhere ({@code Undo}).
 *
 * <p>A flush makes the chunk durable on all current members at once ({@code Flushing}). It names
 * the writes that its client knows acknowledged. All members may have stopped between the two; the
 * map tells since when a group is unbroken. Then the head looks whether the chunk held these writes
 * when the group came back ({@code Origins}), and verifies its checksums. If not, the flush fails
 * instead of promising lost bytes. So the loss of all power gives EIO to the fsync that follows,
 * and the end of all processes, which loses nothing, does not.
 *
 * <h2>Beginning of a term</h2>
 *
 * An acknowledged write is on all members that were current in its epoch, and a member becomes
 * SERVING only when it has all of them; so every head has every acknowledged write. A write that
 * was not acknowledged may be on some members. Therefore a head that begins a term makes the
 * SERVING members agree ({@code Agreement}): for each chunk the state with the highest (epoch,
 * sequence) wins and is installed at the others. All chunks are compared in the background, after
 * the work of earlier terms has ended. A requested chunk is settled first. So is a chunk of which a
 * write failed half-way within the term, in the background if there is no request.
 *
 * <h2>Reads</h2>
 *
 * A read never returns bytes that may be taken back. At the head a read of a chunk waits for the
 * change of the chunk under way. Another SERVING member knows of each change it applied that it may
 * not be on all members ({@code Unsettled}). Before it serves a read of that chunk it asks the head
 * for the chunk's state, which the head tells when all members agree. It serves the read if it has
 * the same state, and otherwise answers NOT_HEAD. The head tells of itself, a moment later, which
 * changes all members have ({@code SettledNotices}), so that few questions are left when it dies.
 * SYNCING members serve no reads.
 *
 * <h2>Two members on one server</h2>
 *
 * While a member moves from one disk of a server to another both are members, each with a part of
 * its own ({@code Groups}), and talk to each other over the network as all members do. Clients name
 * no target: the one that is the head answers them, else one that serves. Requests of other servers
 * say which of the two they mean ({@code ToTarget}).
 *
 * <h2>Syncing, repair, garbage</h2>
 *
 * The head brings a SYNCING member up to date ({@code Syncing}). It compares all chunks by (epoch,
 * sequence, length), installs those that differ, and takes those that are later or only at the
 * member. It does so in each chunk's turn, while live writes go to the member as well. Then it
 * reports MemberSynced. A chunk that no serving member can use it takes from a syncing one that
 * lacks nothing ({@code Salvage}). A replica that cannot be used (in doubt after a crash, fenced
 * after a failed sync, damaged) looks absent and is replaced in the same ways. While a member is
 * away that may have a good one, clients are told NOT_READY, so that they wait for it; EIO when all
 * are there and none has it. Bad blocks that clients or scrubs report are repaired by the head
 * ({@code Repair}), block by block from any replica that is right; a block that is right nowhere
 * keeps failing, and travels as such. Garbage is deleted on the master's word only ({@code
 * Garbage}).
 *
 * <h2>Threads</h2>
 *
 * Requests arrive on event loops, which never block; all disk work runs on the executor given, in
 * most cases in one hop: decode, turn, disk, answer. Everything else is continuations. Nothing here
 * waits with a thread, so that the whole server runs on a simulated clock, network and disk.
 */
@NullMarked
package io.cairn.chunk;

import org.jspecify.annotations.NullMarked;
