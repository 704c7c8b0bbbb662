/**
 * Encryption of blob files. A {@link io.cairn.chunk.store.seal.SealedFile} lies between a blob and
 * its file and encrypts all that is written, checksums included, so that nothing above it differs.
 *
 * <p>The cipher is AES-256 in XTS mode, as disks are encrypted. It takes no room, a block that is
 * overwritten needs no nonce, so none can be used twice, and a write that was cut off leaves each
 * block old or new as in a plain file. What it does not do is tell that somebody changed the file:
 * the checksums find that, but are not made against an enemy. Each file has a key of its own, made
 * from the key of its storage class and a random salt.
 *
 * <p>{@link io.cairn.chunk.store.seal.Keyring} holds the keys of the process, {@link
 * io.cairn.chunk.store.seal.TargetSeals} those that the files of one target need, wrapped.
 */
@NullMarked
package io.cairn.chunk.store.seal;

import org.jspecify.annotations.NullMarked;
