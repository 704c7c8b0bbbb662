/** Tests of RPC and XDR. */
@org.jspecify.annotations.NullMarked
package io.cairn.nfs.rpc;
