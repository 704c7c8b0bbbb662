package io.cairn.verify.process;

import java.nio.file.Path;
import java.util.List;

/**
 * What a cluster is made of.
 *
 * @param directory for logs, mountpoints and data; without blanks in its path
 * @param java the command that runs {@code cairn}, without its arguments
 * @param masters how many
 * @param chunkServers how many
 * @param replicas copies of each chunk
 * @param mounts how many mounts
 * @param gateways how many NFS gateways
 * @param ownDisks whether each server gets a disk of its own, in a file; needs root
 */
public record ClusterPlan(
        Path directory,
        List<String> java,
        int masters,
        int chunkServers,
        int replicas,
        int mounts,
        int gateways,
        boolean ownDisks) {

    /** Where the logs are. */
    public Path logs() {
        return directory.resolve("logs");
    }

    /** Where a master or chunk server keeps its data: on its disk, if it has one. */
    public Path data(String member) {
        return place(member).resolve("disk").resolve("store");
    }

    Path place(String member) {
        return directory.resolve("data").resolve(member);
    }

    /** Where a mount is. */
    public Path mountpoint(String member) {
        return directory.resolve(member);
    }
}
