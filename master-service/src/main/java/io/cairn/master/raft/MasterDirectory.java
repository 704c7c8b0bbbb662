package io.cairn.master.raft;

import io.cairn.cluster.Endpoint;
import io.cairn.master.raft.member.MemberList;
import io.cairn.master.raft.member.Peer;
import io.cairn.master.store.DirectoryLock;
import io.cairn.master.store.FormatFile;
import io.cairn.master.store.Headroom;
import io.cairn.master.store.Membership;
import io.cairn.master.store.Position;
import io.cairn.master.store.StoreSettings;
import io.cairn.runtime.FileDisk;
import io.cairn.runtime.OwnerOnly;
import io.cairn.runtime.file.Durable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A master's directory, locked and checked, with the state in it; see the package for a map. */
final class MasterDirectory implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MasterDirectory.class);

    private final DirectoryLock lock;
    private final Headroom room;
    private final Path raft;
    private final Path current;
    private final boolean used;
    private final FormatFile format;
    private final ReplicatedState state;
    private final LogFiles log;

    /**
     * Opens a directory, which is made when it is absent.
     *
     * @param group what Ratis calls the group's directory
     * @throws IOException in use, foreign or damaged; the message names the file
     */
    MasterDirectory(Path directory, String masterId, String group, StoreSettings settings)
            throws IOException {
        Durable.makeDirectories(directory);
        lock = DirectoryLock.take(directory);
        ReplicatedState opened = null;
        try {
            format = FormatFile.open(directory, masterId);
            if (format.differs()) {
                throw new IOException(
                        ("%s: the state of this master differed from that of the others after the"
                                        + " same entries of the log; %s")
                                .formatted(directory, LogFiles.REPLACE));
            }
            OwnerOnly.close(directory);
            room = new Headroom(new FileDisk(), directory);
            raft = directory.resolve("raft");
            used = Files.exists(raft);
            Files.createDirectories(raft);
            opened = new ReplicatedState(directory, format, settings);
            opened.checkpointOnlyWhen(() -> !room.isLow());
            current = raft.resolve(group).resolve("current");
            log = new LogFiles(current);
            Position newest = opened.checkpoints().newest();
            log.prepare(opened.namespace().appliedIndex(), newest == null ? -1 : newest.index());
            state = opened;
            forgoLostVote();
        } catch (IOException | RuntimeException e) {
            close(opened, lock);
            throw e;
        }
    }

    /**
     * A vote counts only together with the memory of what was promised and of what was logged: who
     * lost one of both is as good as new.
     */
    private void forgoLostVote() throws IOException {
        if (format.votes() && (!log.remembersTerm() || (format.clusterId() != 0 && !holds()))) {
            LOG.warn("{} has lost its Raft log: this master has no vote until it caught up", raft);
            format.setVotes(false);
        }
    }

    /** Whether anything of a cluster is here: entries of the log, or a state that they made. */
    boolean holds() {
        return log.holds() || state.checkpoints().newest() != null;
    }

    /**
     * Founds the cluster of a master without others, which has nobody to ask, unless it holds one.
     *
     * @param told whether it was told to found one
     * @throws IOException it holds none and was not told to found one, or lost it
     */
    void foundAlone(boolean told) throws IOException {
        if (!holds() && format.clusterId() != 0) {
            throw new IOException(
                    "%s belongs to cluster %s, but its log and its state are gone: restore them"
                            .formatted(raft.getParent(), Membership.text(format.clusterId())));
        }
        if (!holds() && !told) {
            throw new IOException(
                    ("%s is empty: to found a new cluster, start this master once with --found;"
                                    + " if it should hold one, look whether its disk is mounted")
                            .formatted(raft.getParent()));
        }
        format.setVotes(true);
    }

    FormatFile format() {
        return format;
    }

    /**
     * The masters: those of its log, else those that this one was told of.
     *
     * @throws IOException it was told to join a group and holds one where it is none of the
     *     masters, or the file with the list is damaged
     */
    MemberList members(RatisSettings settings) throws IOException {
        List<Peer> logged = log.members();
        List<Peer> told = settings.members().doors().isEmpty() ? settings.peers() : List.of();
        MemberList list =
                new MemberList(
                        settings.self(),
                        logged != null ? logged : told,
                        settings.members().doors());
        if (logged != null && !list.containsSelf() && !list.joins()) {
            throw new IOException(
                    ("%s belongs to a cluster whose masters are %s, and %s is none of them: empty"
                                    + " it, start this master with --join, and add it: cairn admin"
                                    + " masters add %s")
                            .formatted(
                                    raft.getParent(),
                                    MemberList.text(logged),
                                    list.id(),
                                    list.self()));
        }
        if (logged != null && !list.ids().equals(ids(settings.peers())) && !list.joins()) {
            LOG.warn(
                    "the masters of this cluster are {}: --raft tells of {}, which counts no more;"
                            + " 'cairn admin masters' adds and removes masters",
                    MemberList.text(logged),
                    MemberList.text(settings.peers()));
        }
        return list;
    }

    /** The failure of a start: the damaged file of the log if there is one, else its root. */
    IOException notStarted(Exception failure, Endpoint raft) throws IOException {
        String damage = log.findDamage();
        Throwable root = failure;
        while (root.getCause() != null && (root.getMessage() == null || wraps(root))) {
            root = root.getCause();
        }
        return new IOException(
                damage != null
                        ? damage
                        : "Raft does not start: %s (listening on %s)".formatted(root, raft),
                failure);
    }

    private static boolean wraps(Throwable error) {
        return error instanceof CompletionException || error.getCause() instanceof IOException;
    }

    private static Set<String> ids(List<Peer> peers) {
        return peers.stream().map(Peer::id).collect(Collectors.toSet());
    }

    /**
     * Makes the names of what was made since the start durable: files that Ratis forces are of no
     * use when their directories are gone after a power cut.
     */
    void forceNames() throws IOException {
        for (Path made = current; made != null && made.startsWith(raft); made = made.getParent()) {
            Durable.force(made);
        }
        Durable.forceEntry(raft);
    }

    /** Where Ratis keeps its files. */
    Path raft() {
        return raft;
    }

    /** The room on its disk. */
    Headroom room() {
        return room;
    }

    /** Whether a master has run here before. */
    boolean used() {
        return used;
    }

    ReplicatedState state() {
        return state;
    }

    @Override
    public void close() throws IOException {
        close(state, lock);
    }

    private static void close(@Nullable ReplicatedState state, DirectoryLock lock)
            throws IOException {
        try (lock) {
            if (state != null) {
                state.close();
            }
        }
    }
}
