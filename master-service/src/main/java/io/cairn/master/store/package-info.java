/**
 * The replicated state on disk: RocksDB behind the {@code Store} seam, and the files that say whose
 * directory it is. Nobody else imports RocksDB.
 *
 * <p>RocksDB runs without its write-ahead log: the Raft log is the write-ahead log. It is therefore
 * essential that a batch and its position in the log reach the disk together. They do, because they
 * are one write batch and all column families are flushed atomically: after a crash the store is at
 * some earlier position, says at which, and the Raft log replays the rest.
 */
@NullMarked
package io.cairn.master.store;

import org.jspecify.annotations.NullMarked;
