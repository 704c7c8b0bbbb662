package io.cairn.chunk;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.net.Principal;
import io.cairn.net.Refusals;
import io.cairn.net.Refusals.Reason;
import io.cairn.wire.chunk.ChunkRequest;
import io.cairn.wire.chunk.ChunkRequestType;
import io.cairn.wire.chunk.ChunkRequestType.Sender;
import io.cairn.wire.master.OperationNames;

/**
 * Decides by its role whether somebody may ask a chunk server for something: mounts and gateways
 * read and write, only chunk servers replicate. Thread-safe.
 */
final class ChunkRoleCheck {
    private final Refusals refusals;

    /** A door that tells what it refuses. */
    ChunkRoleCheck(Refusals refusals) {
        this.refusals = refusals;
    }

    /**
     * Lets a request in, by its first byte.
     *
     * @throws FsException EACCES when the role may not ask for this
     */
    void require(Principal principal, byte[] header) {
        boolean isAllowed =
                switch (principal.role()) {
                    case ANONYMOUS, CHUNK, MASTER -> true;
                    case NEWCOMER -> false;
                    case MOUNT, GATEWAY, ADMIN, USER ->
                            header.length == 0 || isOfClients(header[0]);
                };
        if (!isAllowed) {
            refuse(principal, OperationNames.ofChunk(header));
        }
    }

    /** A code that is not known is no request, which the decoder finds out. */
    private static boolean isOfClients(int code) {
        ChunkRequestType type = ChunkRequestType.TABLE.find(code);
        return type == null || type.sender() != Sender.SERVER;
    }

    /**
     * Lets a request in that heads forward and clients send, too.
     *
     * @throws FsException EACCES when a client forwards it, or has a request of servers relayed
     */
    void require(Principal principal, ChunkRequest request) {
        if (isClient(principal) && request.isOfServers()) {
            refuse(principal, "forwarded " + request.type());
        }
    }

    /** Whether its certificate is that of a client. */
    static boolean isClient(Principal principal) {
        return switch (principal.role()) {
            case ANONYMOUS, CHUNK, MASTER -> false;
            case NEWCOMER, MOUNT, GATEWAY, ADMIN, USER -> true;
        };
    }

    private void refuse(Principal principal, String what) {
        String text = principal + " may not ask a chunk server for " + what;
        refusals.add(Reason.ROLE, principal.address(), text);
        throw new FsException(Errno.EACCES, text);
    }
}
