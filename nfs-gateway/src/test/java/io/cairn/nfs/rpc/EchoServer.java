package io.cairn.nfs.rpc;

import io.cairn.cluster.Endpoint;
import io.cairn.net.EventLoops;
import io.cairn.nfs.RpcClient;
import io.cairn.runtime.Clock;
import io.cairn.runtime.ThreadScheduler;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;

/** An RPC door with the {@link EchoProgram} behind it. */
final class EchoServer implements AutoCloseable {
    private static final long POLL_LIMIT_NS = 60_000_000_000L;

    final EchoProgram program = new EchoProgram();
    private final EventLoops loops = new EventLoops("test-rpc", 2, Clock.system());
    private final ThreadScheduler scheduler = new ThreadScheduler("test-timer", 1);
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    final RpcServer server;

    EchoServer(RpcLimits limits) {
        server =
                new RpcServer(
                        new Endpoint("127.0.0.1", 0),
                        List.of(program),
                        limits,
                        new RpcServer.Threads(loops, workers, scheduler, Clock.system()));
    }

    RpcClient client() {
        return new RpcClient(server.endpoint());
    }

    /** The bytes of a call of version 3, without mark. */
    static byte[] call(int xid, int procedure, java.util.function.Consumer<XdrWriter> arguments) {
        return RpcClient.encode(
                new int[] {xid, 0, 2, EchoProgram.NUMBER, 3, procedure},
                Credential.sys(1, 2, 3),
                arguments);
    }

    static void awaitTrue(String what, BooleanSupplier condition) throws InterruptedException {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > POLL_LIMIT_NS) {
                throw new AssertionError("not within 60 s: " + what);
            }
            Thread.sleep(5);
        }
    }

    @Override
    public void close() {
        server.close();
        workers.shutdownNow();
        loops.close();
        scheduler.close();
    }
}
