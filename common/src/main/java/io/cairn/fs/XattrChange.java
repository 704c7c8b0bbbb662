package io.cairn.fs;

import org.jspecify.annotations.Nullable;

/**
 * An extended attribute to be set. Its arrays are not changed after construction.
 *
 * @param name of the attribute
 * @param value new value
 * @param flags 0, {@link FileSystem#XATTR_CREATE} (EEXIST) or {@link FileSystem#XATTR_REPLACE}
 *     (ENODATA)
 * @param expected the only value that is replaced, without flags, else ECANCELED; null for any
 */
public record XattrChange(byte[] name, byte[] value, int flags, byte @Nullable [] expected) {}
