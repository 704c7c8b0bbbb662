package io.cairn.master.raft;

import io.cairn.cluster.Endpoint;
import io.cairn.master.raft.RatisSettings.CheckpointRule;
import io.cairn.master.raft.member.Peer;
import io.cairn.master.store.StoreSettings;
import io.cairn.runtime.Clock;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;

/**
 * The process that {@link KillTest} kills: a lone master that makes files as fast as it can and
 * prints the name of each when it is acknowledged.
 */
public final class KilledMaster {
    private static final int OUTSTANDING = 64;

    private KilledMaster() {}

    static RatisSettings settings(Path directory, int port) {
        return new RatisSettings(
                "m1",
                directory,
                new RatisSettings.Members(
                        List.of(new Peer("m1", new Endpoint("127.0.0.1", port))), true),
                new Endpoint("127.0.0.1", 1),
                new StoreSettings(1 << 20, 256 << 10),
                new CheckpointRule(300, 1 << 20));
    }

    /** Arguments: directory, port, prefix of the names. */
    public static void main(String[] args) throws Exception {
        TestGroup.Heard heard = new TestGroup.Heard();
        RatisLog log =
                new RatisLog(
                        settings(Path.of(args[0]), Integer.parseInt(args[1])),
                        Clock.system(),
                        heard,
                        Runnable::run,
                        _ -> Runtime.getRuntime().halt(3),
                        null);
        log.start();
        TestSession session = new TestSession(() -> log);
        PrintStream out = System.out;
        Semaphore room = new Semaphore(OUTSTANDING);
        for (int i = 0; ; i++) {
            String name = args[2] + i;
            room.acquire();
            CompletableFuture<?> _ =
                    session.begin(log, name)
                            .whenComplete(
                                    (reply, error) -> {
                                        if (error == null && TestSession.isEntry(reply)) {
                                            out.println("made " + name);
                                        } else {
                                            out.println("failed " + name + ": " + error);
                                        }
                                        room.release();
                                    });
        }
    }
}
