/**
 * Keeper of blobs on disks: nothing here knows of networks, masters or other servers.
 *
 * <p>A <em>target</em> ({@link io.cairn.chunk.store.StorageTarget}) is one storage directory on one
 * disk. A <em>blob</em> is one replica of a chunk, a sparse file of its own; the filesystem of the
 * disk is the index, and the path of a blob follows from its ids alone. Data is stored in blocks of
 * 4096 bytes with a CRC32C each, which come from the client that wrote them and are handed back to
 * the client that reads them.
 *
 * <p>An applied write survives the end of the process, however it comes. A flushed one survives
 * power loss. A write that was under way leaves old or new blocks, each with its right checksum, or
 * is reported as in doubt. See {@code BlobHeader} for the file, {@code IntentLog} for what is known
 * about blobs after an unclean stop.
 */
@NullMarked
package io.cairn.chunk.store;

import org.jspecify.annotations.NullMarked;
