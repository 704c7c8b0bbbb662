/**
 * The trash: what lost its last name in a directory that keeps what goes. A file keeps its inode
 * and gets a name below {@link io.cairn.fs.TrashPlace}, in a directory for the day and directories
 * like those that it was in; so it is listed and read like any other file. Directories of the trash
 * have inodes of their own, with the attributes of the directories that they stand for. Each inode
 * in the trash has a {@link io.cairn.metadata.trash.TrashRecord}.
 */
@NullMarked
package io.cairn.metadata.trash;

import org.jspecify.annotations.NullMarked;
