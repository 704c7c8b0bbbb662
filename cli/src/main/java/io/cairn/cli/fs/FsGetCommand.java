package io.cairn.cli.fs;

import io.cairn.base.Wording;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.node.ExitCode;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.jr.ob.JSON;

/** {@code cairn fs get}: the policy of a file or directory. */
@Command(
        name = "get",
        description = "Show what a file or directory asks for: replicas, chunk size, stripe.",
        footer = {"  cairn fs get /mnt/cairn/projects", "  cairn fs get --json /mnt/cairn/file"})
final class FsGetCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "PATH", description = "On a mount.")
    private Path path = Path.of("");

    @Option(names = "--json", description = "Print a JSON document.")
    private boolean json;

    @Override
    public Integer call() {
        Policy policy;
        try (FsSession session = new FsSession(path)) {
            policy = session.files().policy(session.place().required().ino());
        }
        if (json) {
            System.out.println(JSON.std.asString(document(policy)));
            return ExitCode.OK;
        }
        System.out.println(
                "replicas    "
                        + (policy.replicas() > 0 ? policy.replicas() : "default of the cluster"));
        System.out.println("chunk size  " + Wording.bytes(chunkSizeBytes(policy)));
        System.out.println("stripe      " + stripe(policy.stripeWidth()));
        return ExitCode.OK;
    }

    private static String stripe(int width) {
        return width <= 0 ? "all placement groups" : Wording.count(width, "placement group");
    }

    /** The policy for {@code --json}: 0 replicas are the standard, stripe 0 is all groups. */
    static Map<String, Object> document(Policy policy) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("replicas", policy.replicas());
        document.put("chunkSizeBytes", chunkSizeBytes(policy));
        document.put("stripe", Math.max(0, policy.stripeWidth()));
        return document;
    }

    private static long chunkSizeBytes(Policy policy) {
        return 1L
                << (policy.chunkSizeLog2() > 0
                        ? policy.chunkSizeLog2()
                        : Layout.STANDARD_CHUNK_SIZE_LOG2);
    }
}
