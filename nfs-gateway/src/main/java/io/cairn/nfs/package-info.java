/**
 * The NFS door: a {@link io.cairn.nfs.NfsGateway} serves a {@link io.cairn.fs.FileSystem} to
 * clients that speak NFS version 3 over TCP, with MOUNT and locks on the same port: {@code mount -o
 * vers=3,tcp,port=P,mountport=P HOST:/ DIR}. A port mapper is needed for locks only.
 *
 * <p>{@link io.cairn.nfs.rpc} is the protocol below, {@link io.cairn.nfs.v3} the procedures, {@link
 * io.cairn.nfs.lock} the locks, {@link io.cairn.nfs.export} what is exported to whom. The gateway
 * keeps nothing that another one would miss: clients may move between gateways of one cluster and
 * see a restart as a pause.
 */
@org.jspecify.annotations.NullMarked
package io.cairn.nfs;
