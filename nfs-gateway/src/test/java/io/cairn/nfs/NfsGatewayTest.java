package io.cairn.nfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.fs.FileSystem;
import io.cairn.net.EventLoops;
import io.cairn.nfs.export.Export;
import io.cairn.nfs.export.Exports;
import io.cairn.nfs.rpc.Credential;
import io.cairn.nfs.rpc.PortmapProgram;
import io.cairn.nfs.rpc.XdrReader;
import io.cairn.runtime.Clock;
import io.cairn.runtime.ThreadScheduler;
import io.cairn.testkit.model.ModelFileSystem;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The ports of a gateway. */
final class NfsGatewayTest {
    private static final int TCP = 6;
    private static final int UDP = 17;

    private final EventLoops loops = new EventLoops("test-nfs", 1, Clock.system());
    private final ThreadScheduler scheduler = new ThreadScheduler("test-timer", 1);
    private final FileSystem files = new ModelFileSystem(Clock.system());
    private final NfsSettings settings = NfsSettings.of(new Endpoint("127.0.0.1", 0));

    @AfterEach
    void stop() {
        loops.close();
        scheduler.close();
    }

    private NfsGateway start(NfsSettings with) {
        return NfsGateway.start(
                files,
                Exports.of(List.of(Export.parse("/ *(rw,insecure)"))),
                with,
                new NfsGateway.Context(
                        loops, scheduler, Clock.system(), new Random(), new SimpleMeterRegistry()));
    }

    private static int port(RpcClient client, int program, int version, int protocol) {
        RpcClient.Answer answer =
                client.call(
                        PortmapProgram.NUMBER,
                        2,
                        3,
                        Credential.NONE,
                        out -> out.i32(program).i32(version).i32(protocol).i32(0));
        assertTrue(answer.accepted());
        return answer.results().i32();
    }

    private static String address(RpcClient client, int procedure, int program, int version) {
        byte[] tcp = {'t', 'c', 'p'};
        byte[] none = {};
        XdrReader results =
                client.call(
                                PortmapProgram.NUMBER,
                                4,
                                procedure,
                                Credential.NONE,
                                out ->
                                        out.i32(program)
                                                .i32(version)
                                                .opaque(tcp)
                                                .opaque(none)
                                                .opaque(none))
                        .results();
        return new String(results.opaque(64), java.nio.charset.StandardCharsets.US_ASCII);
    }

    @Test
    void portMapperKnowsThePorts() {
        try (NfsGateway gateway = start(settings.withMountPort(0).withPortmapPort(0))) {
            Endpoint portmap = gateway.portmapEndpoint();
            Endpoint mount = gateway.mountEndpoint();
            assertNotNull(portmap);
            assertNotNull(mount);
            try (RpcClient client = new RpcClient(portmap)) {
                assertEquals(gateway.endpoint().port(), port(client, 100003, 3, TCP));
                assertEquals(gateway.endpoint().port(), port(client, 100003, 4, TCP));
                assertEquals(mount.port(), port(client, 100005, 3, TCP));
                assertEquals(0, port(client, 100003, 3, UDP));
                assertEquals(gateway.endpoint().port(), port(client, 100021, 4, TCP));
                assertEquals(gateway.endpoint().port(), port(client, 100024, 1, TCP));
                assertEquals(gateway.endpoint().port(), port(client, 100024, 1, UDP));
                assertEquals(gateway.endpoint().port(), port(client, 100227, 3, TCP));
                assertEquals(0, port(client, 100099, 1, TCP));
                XdrReader all =
                        client.call(PortmapProgram.NUMBER, 2, 4, Credential.NONE, out -> {})
                                .results();
                assertTrue(all.bool());
                assertEquals(100003, all.i32());
                assertEquals(
                        "127.0.0.1." + (mount.port() >>> 8) + "." + (mount.port() & 255),
                        address(client, 3, 100005, 3));
                assertEquals("", address(client, 9, 100005, 1));
                RpcClient.Answer set =
                        client.call(PortmapProgram.NUMBER, 2, 1, Credential.NONE, out -> {});
                assertFalse(set.results().bool());
            }
            try (NfsClient client = new NfsClient(mount, Credential.sys(0, 0))) {
                assertNotNull(client.mount("/"));
                assertEquals(
                        1,
                        client.rpc().call(NfsClient.NFS, 3, 0, Credential.NONE, out -> {}).status(),
                        "no NFS on the port of MOUNT");
            }
        }
    }

    @Test
    void portInUseIsNamedAndNothingIsLeftOpen() {
        try (NfsGateway gateway = start(settings)) {
            int taken = gateway.endpoint().port();
            FsException e =
                    assertThrows(
                            FsException.class, () -> start(NfsSettings.of(gateway.endpoint())));
            assertEquals(Errno.EBUSY, e.errno());
            assertThrows(FsException.class, () -> start(settings.withMountPort(taken)));
            assertEquals(0, gateway.openFileCount());
        }
    }
}
