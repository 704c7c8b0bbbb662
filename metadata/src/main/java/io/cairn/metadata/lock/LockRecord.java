package io.cairn.metadata.lock;

import io.cairn.fs.Lock;

/**
 * A lock of somebody, for operators.
 *
 * @param ino what is locked
 * @param isWaiting whether it is asked for, not held
 */
public record LockRecord(long ino, Lock lock, boolean isWaiting) {}
