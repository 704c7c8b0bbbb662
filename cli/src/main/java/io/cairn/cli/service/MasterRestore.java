package io.cairn.cli.service;

import io.cairn.base.Wording;
import io.cairn.master.backup.BackupHead;
import io.cairn.master.backup.Restore;
import io.cairn.master.raft.Recovery;
import io.cairn.master.store.Membership;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;

/** Makes a master's directory of a backup. */
final class MasterRestore {
    private MasterRestore() {}

    /**
     * Does it, and tells in a sentence what the directory holds then.
     *
     * @param isNewCluster whether it gets a new identity
     * @throws CommandException the directory is not empty, or the file is no whole backup
     */
    static String run(String id, Path directory, Path file, boolean isNewCluster) {
        SecureRandom random = new SecureRandom();
        long newCluster = isNewCluster ? random.nextLong() | 1 : 0;
        BackupHead[] head = new BackupHead[1];
        try {
            Recovery.restore(
                    directory,
                    id,
                    (scratch, checkpoint) -> {
                        head[0] = Restore.restore(file, scratch, checkpoint, newCluster).head();
                        return isNewCluster ? newCluster : head[0].clusterId();
                    },
                    random);
        } catch (IOException e) {
            throw new CommandException(ExitCode.of(e), Wording.of(e), e);
        }
        return "master %s restored cluster %s%s from %s, as it was at %s after entry %d of its log"
                .formatted(
                        id,
                        Membership.text(head[0].clusterId()),
                        isNewCluster ? " as cluster " + Membership.text(newCluster) : "",
                        file,
                        Instant.ofEpochMilli(head[0].takenMs()),
                        head[0].index());
    }
}
