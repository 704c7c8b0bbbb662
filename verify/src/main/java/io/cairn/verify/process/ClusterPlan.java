package io.cairn.verify.process;

import java.nio.file.Path;
import java.util.ArrayList;
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
 * @param mountOptions what each mount gets as {@code -o}; empty for none
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
        String mountOptions,
        int gateways,
        boolean ownDisks) {

    /** The command of a mount. */
    List<String> mount(String masters, String member) {
        List<String> command = new ArrayList<>();
        command.addAll(List.of("mount", masters, mountpoint(member).toString(), "--foreground"));
        if (!mountOptions.isEmpty()) {
            command.addAll(List.of("-o", mountOptions));
        }
        return command;
    }

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
