package io.cairn.nfs.rpc;

import java.net.InetSocketAddress;

/**
 * The header of a call.
 *
 * @param xid chosen by the client; the answer carries it
 * @param program program number
 * @param version program version, one that the program serves
 * @param procedure procedure number, one that the version has
 * @param credential who calls
 * @param peer where from
 * @param local where to: the address of ours that the client used
 */
public record RpcCall(
        int xid,
        int program,
        int version,
        int procedure,
        Credential credential,
        InetSocketAddress peer,
        InetSocketAddress local) {}
