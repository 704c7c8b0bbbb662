package io.cairn.fs;

import org.jspecify.annotations.Nullable;

/**
 * One entry of a directory listing; {@code .} and {@code ..} are never among them (doors add them).
 *
 * @param name the name
 * @param cookie where to continue after this entry ({@link Name#cookie()}); several entries may
 *     share a cookie, but a page never ends between them
 * @param ino the inode
 * @param type its type
 * @param attributes its attributes if the listing asked for them
 */
public record DirectoryEntry(
        Name name, long cookie, long ino, FileType type, @Nullable Attributes attributes) {}
