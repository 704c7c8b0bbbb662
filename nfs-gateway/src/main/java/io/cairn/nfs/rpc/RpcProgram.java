package io.cairn.nfs.rpc;

import io.netty.buffer.ByteBuf;

/**
 * A program behind the RPC door. Procedure 0, which does nothing, is answered by the door. All
 * methods may be called by several threads.
 */
public interface RpcProgram {
    /** The program number. */
    int number();

    /** The lowest version served. */
    int lowVersion();

    /** The highest version served; all in between are served too. */
    default int highVersion() {
        return lowVersion();
    }

    /** Whether a served version has a procedure. */
    boolean hasProcedure(int version, int procedure);

    /**
     * An upper bound of the size of the answer in bytes, known before the call runs. Must not
     * block, fail, or move the indexes of the arguments, which may be malformed.
     */
    int replyBytes(RpcCall call, ByteBuf arguments);

    /**
     * Whether the answer to a repeated call has to be the first one's, because the call changes
     * things in a way that shows when it is done twice.
     */
    default boolean isOnce(RpcCall call) {
        return false;
    }

    /** The name of a served procedure in metrics and in the log. */
    default String nameOf(int procedure) {
        return number() + "-" + procedure;
    }

    /** Whether the results of a procedure begin with a status, 0 for success. */
    default boolean beginsWithStatus(int procedure) {
        return false;
    }

    /**
     * Does the work; may block.
     *
     * @param arguments to be read; a malformed one throws {@link XdrException}
     * @param results to be written
     * @throws RpcDenied when the credential does not suffice
     */
    void serve(RpcCall call, XdrReader arguments, XdrWriter results);
}
