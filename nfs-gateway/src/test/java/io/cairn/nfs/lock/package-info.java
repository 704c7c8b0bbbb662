/** Tests of the lock programs, by a client that is written apart from them. */
@org.jspecify.annotations.NullMarked
package io.cairn.nfs.lock;
