/**
 * Backups of the metadata: a file with all records of a master's state at one place of the log, and
 * the way from such a file to a master's directory.
 *
 * <p>The file holds keys and values as {@code io.cairn.metadata.state.Keys} tells them, not the
 * files of RocksDB: what can be restored does not depend on the store that wrote it. It is written
 * and read in one pass with bounded memory, and can be checked without a cluster.
 *
 * <pre>
 * file   | head | block | ... | end |
 *
 * head   | magic 8 | version 4 | length 4 | fields length | crc32c 4 |
 *          magic: "CAIRNBAK"; crc over all before it
 *          fields: clusterId 8 | term 8 | index 8 | takenMs 8 | level 4 | release (text)
 *
 * block  | kind 1 | number 8 | length 4 | payload length | crc32c 4 |
 *          crc over the crc of the head and all of the block before it, so that a block of another
 *          backup, or at another place, is told apart; number: 0, 1, ...
 *          kind 1, records: family (text) | { keyLength 4 | valueLength 4 | key | value } ...
 *          families as in Store.Family, in that order; keys ascend within a family
 *          kind 2, the end: records 8 | sha256 of all bytes of the file before this block 32
 * </pre>
 *
 * <p>Big-endian. Nothing follows the end: a file that was cut off anywhere has none.
 */
@NullMarked
package io.cairn.master.backup;

import org.jspecify.annotations.NullMarked;
