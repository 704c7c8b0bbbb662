package io.cairn.chunk;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.net.Principal;
import io.cairn.net.Principal.Role;
import io.cairn.net.Refusals;
import io.cairn.net.Refusals.Reason;
import io.cairn.runtime.Clock;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkRequest;
import io.cairn.wire.chunk.ChunkRequestType;
import io.cairn.wire.chunk.ChunkRequestType.Sender;
import io.cairn.wire.chunk.HeadRequest;
import io.cairn.wire.chunk.OperationId;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChunkRoleCheckTest {
    private final Refusals refusals = new Refusals("chunk", Clock.system());
    private final ChunkRoleCheck door = new ChunkRoleCheck(refusals);

    @Test
    void onlyServersSendTheRequestsOfServers() {
        for (ChunkRequestType type : ChunkRequestType.values()) {
            byte[] header = {(byte) type.code()};
            boolean isOfClients = type.sender() != Sender.SERVER;
            check(Role.ANONYMOUS, header, true);
            check(Role.CHUNK, header, true);
            check(Role.MASTER, header, true);
            check(Role.MOUNT, header, isOfClients);
            check(Role.GATEWAY, header, isOfClients);
            check(Role.USER, header, isOfClients);
            check(Role.NEWCOMER, header, false);
        }
    }

    @Test
    void nobodyHasTheRequestsOfServersRelayed() {
        ChunkAddress chunk = new ChunkAddress(1, 2, 3, 0, 22);
        ChunkRequest forwarded = new ChunkRequest.Flush(chunk, List.of(), true);
        ChunkRequest damage =
                new ChunkRequest.Replicate(chunk, new OperationId(1, 1), 1, 2, 0, 0, new int[0]);
        Principal liar = new Principal(Role.MOUNT, "x", "10.0.0.7");
        for (ChunkRequest each : List.of(forwarded, damage)) {
            ChunkRequest relayed = new HeadRequest.Relay(each);
            assertThrows(FsException.class, () -> door.require(liar, relayed));
            assertDoesNotThrow(
                    () -> door.require(new Principal(Role.CHUNK, "c1", "10.0.0.8"), relayed));
        }
        ChunkRequest own = new HeadRequest.Relay(new ChunkRequest.Flush(chunk, List.of(), false));
        assertDoesNotThrow(() -> door.require(liar, own));
        assertDoesNotThrow(() -> door.require(liar, new ChunkRequest.StatChunk(chunk)));
    }

    private void check(Role role, byte[] header, boolean isAllowed) {
        Principal asker = new Principal(role, "x", "10.0.0.7");
        if (isAllowed) {
            assertDoesNotThrow(() -> door.require(asker, header));
            return;
        }
        long before = refusals.count(Reason.ROLE);
        FsException error = assertThrows(FsException.class, () -> door.require(asker, header));
        assertEquals(Errno.EACCES, error.errno());
        assertEquals(before + 1, refusals.count(Reason.ROLE));
    }
}
