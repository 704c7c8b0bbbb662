package io.cairn.wire.chunk;

import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;

/** Requests of a client that may run on the machine of the chunk server. */
public sealed interface DirectRequest extends ChunkRequest {
    /** At the socket: asks for the shared memory of a server. */
    long HELLO = 1;

    /** At the socket: asks for the file of a ticket. */
    long TAKE = 2;

    /** Answer of the socket: here it is. */
    long DONE = 0;

    /** Answer of the socket: there is no such server here, or no such ticket any more. */
    long REFUSED = 1;

    /** The shared word that tells until when the server may answer reads, in its time (ns). */
    int LEASE_WORD = 0;

    /** The value of {@link #LEASE_WORD} while it may not. */
    long NO_LEASE = Long.MIN_VALUE;

    /**
     * Client to any serving member: leave to read the file of a chunk itself, until the chunk is
     * changed or the member may not serve it any more. GrantReply; EOPNOTSUPP when the server gives
     * no such leave to this client, ENOENT when there is no such chunk, and as for {@link
     * ChunkRequest.Read}.
     *
     * @param machine identity of the start of the client's machine
     */
    record Grant(ChunkAddress chunk, long machine) implements DirectRequest {
        @Override
        public ChunkRequestType type() {
            return ChunkRequestType.GRANT;
        }

        @Override
        public void encode(Encoder out) {
            chunk.encode(out);
            out.i64(machine);
        }

        static Grant decode(Decoder in) {
            return new Grant(ChunkAddress.decode(in), in.i64());
        }
    }
}
