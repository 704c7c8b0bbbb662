/**
 * NFS version 3 and MOUNT version 3 (RFC 1813) over {@link io.cairn.fs.FileSystem}.
 *
 * <p>A {@link io.cairn.nfs.v3.HandleCodec handle} holds the filesystem, the export, the inode and a
 * code that makes it hard to forge: nothing of this process, so it is good on every gateway, after
 * every restart, for as long as the inode exists. There is no table of handles.
 *
 * <p>Each procedure decodes its arguments first, so that a malformed one has no effect. An
 * exception becomes a status in one place, {@link io.cairn.nfs.v3.ServedVolume#serve}. Of weak
 * cache consistency data the attributes before the operation are told exactly or not at all: a
 * wrong value would leave clients with stale caches.
 *
 * <p>Files that are read and written stay open for some seconds in {@link
 * io.cairn.nfs.v3.OpenFiles}. An UNSTABLE write is buffered there and may be lost with this
 * process; the write verifier then changes, and clients write again. COMMIT, DATA_SYNC and
 * FILE_SYNC answer when the bytes are on stable media.
 */
@org.jspecify.annotations.NullMarked
package io.cairn.nfs.v3;
