package io.cairn.master.raft;

import io.cairn.cluster.Endpoint;
import io.cairn.master.raft.member.Peer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Where the other masters of a group reach one of them, by the directory of that one. */
public final class KnownAddress {
    private KnownAddress() {}

    /**
     * The address; null when there are no others, or the directory holds no group.
     *
     * @throws IOException the directory cannot be read, or its list of masters is damaged
     */
    public static @Nullable Endpoint amongOthers(Path directory, String id) throws IOException {
        Path raft = directory.resolve("raft");
        if (!Files.isDirectory(raft)) {
            return null;
        }
        List<Path> groups;
        try (Stream<Path> entries = Files.list(raft)) {
            groups = entries.filter(Files::isDirectory).toList();
        }
        for (Path group : groups) {
            List<Peer> members = new LogFiles(group.resolve("current")).members();
            if (members != null && members.size() > 1) {
                return members.stream()
                        .filter(each -> each.id().equals(id))
                        .map(Peer::raft)
                        .findFirst()
                        .orElse(null);
            }
        }
        return null;
    }
}
