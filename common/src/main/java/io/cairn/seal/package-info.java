/**
 * Keys for encryption at rest, and how they are wrapped: a storage class has a key, and the master
 * key of the operator protects it wherever it is stored. {@code io.cairn.chunk.store.seal} encrypts
 * with them.
 */
@NullMarked
package io.cairn.seal;

import org.jspecify.annotations.NullMarked;
