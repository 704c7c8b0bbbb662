package io.cairn.cli.fs;

import io.cairn.admin.api.Json;
import io.cairn.base.Wording;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.node.ExitCode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn fs get}: the policy of a file or directory. */
@Command(
        name = "get",
        description =
                "Show what a file or directory asks for: replicas, chunk size, stripe, compression,"
                        + " inline limit.",
        footer = {"  cairn fs get /mnt/cairn/projects", "  cairn fs get --json /mnt/cairn/file"})
final class FsGetCommand implements Callable<Integer> {
    private static final String OF_THE_CLUSTER = "default of the cluster";

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
            System.out.println(Json.text(document(policy)));
            return ExitCode.OK;
        }
        lines(policy).forEach(System.out::println);
        return ExitCode.OK;
    }

    /** The policy as people read it. */
    static List<String> lines(Policy policy) {
        List<String> lines = new ArrayList<>();
        lines.add("replicas      " + (policy.replicas() > 0 ? policy.replicas() : OF_THE_CLUSTER));
        lines.add("chunk size    " + Wording.bytes(chunkSizeBytes(policy)));
        lines.add("stripe        " + stripe(policy.stripeWidth()));
        lines.add("compression   " + policy.compression().orNone().text());
        lines.add(
                "inline limit  "
                        + (policy.inlineBytes() < 0
                                ? OF_THE_CLUSTER
                                : Wording.bytes(policy.inlineBytes())));
        if (policy.labels().isSaid()) {
            lines.add("labels        " + policy.labels().text());
        }
        if (policy.cipher() != null) {
            lines.add("encryption    " + policy.cipher());
        }
        return lines;
    }

    private static String stripe(int width) {
        return width <= 0 ? "all placement groups" : Wording.count(width, "placement group");
    }

    /**
     * The policy for {@code --json}: 0 replicas are the standard, stripe 0 is all groups. Null is
     * the standard of the other fields.
     */
    static Map<String, Object> document(Policy policy) {
        Map<String, Object> document = Json.map();
        document.put("replicas", policy.replicas());
        document.put("chunkSizeBytes", chunkSizeBytes(policy));
        document.put("stripe", Math.max(0, policy.stripeWidth()));
        document.put("compression", policy.compression().said());
        document.put("inlineLimitBytes", policy.inlineBytes() < 0 ? null : policy.inlineBytes());
        document.put("labels", policy.labels().said());
        document.put("encryption", policy.cipher());
        return document;
    }

    private static long chunkSizeBytes(Policy policy) {
        return 1L
                << (policy.chunkSizeLog2() > 0
                        ? policy.chunkSizeLog2()
                        : Layout.STANDARD_CHUNK_SIZE_LOG2);
    }
}
