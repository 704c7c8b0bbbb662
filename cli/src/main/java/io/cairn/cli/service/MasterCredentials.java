package io.cairn.cli.service;

import io.cairn.cli.option.InsecureOption;
import io.cairn.cluster.Endpoint;
import io.cairn.identity.CertificateAuthority;
import io.cairn.identity.JoinToken;
import io.cairn.master.raft.member.Peer;
import io.cairn.net.Principal.Role;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.identity.Credentials;
import io.cairn.node.identity.Joining;
import io.cairn.runtime.Clock;
import io.cairn.runtime.OwnerOnly;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a master gets its certificate: it holds the authority of the cluster, which it makes when it
 * founds one, or gets from another master for a token.
 *
 * @param id its name
 * @param data its directory
 * @param tls whether it was told to found a cluster with certificates
 * @param found whether it was told to found a cluster
 * @param insecure whether it may listen without certificates
 */
record MasterCredentials(
        String id, Path data, boolean tls, boolean found, InsecureOption insecure) {
    /**
     * Reads the token for this master.
     *
     * @throws CommandException when it is for another role or name
     */
    JoinToken token(String text) {
        JoinToken token = JoinToken.parse(text);
        if (token.role() != Role.MASTER || !token.name().equals(id)) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "the token of --join is for %s %s, and this is master %s: make one with"
                                    .formatted(token.role().text(), token.name(), id)
                            + " 'cairn ca join-token --role master --name %s'".formatted(id));
        }
        return token;
    }

    /**
     * Where the masters are that it joins.
     *
     * @throws CommandException when it was told of none
     */
    List<Endpoint> doors(List<Peer> peers) {
        List<Endpoint> others =
                peers.stream().filter(peer -> !peer.id().equals(id)).map(Peer::raft).toList();
        if (others.isEmpty()) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "--join with a token needs a living master in --raft, too, as in --raft"
                            + " m1=10.0.0.1:9872,%s=%s".formatted(id, own(peers)));
        }
        return others;
    }

    /** This master alone. */
    List<Peer> self(List<Peer> peers) {
        return peers.stream().filter(peer -> peer.id().equals(id)).toList();
    }

    private Endpoint own(List<Peer> peers) {
        return self(peers).getFirst().raft();
    }

    /**
     * The identity of this master, which it makes or gets now if there is none.
     *
     * @param token by which it joins; null when it was told none
     * @param listen where clients find it
     * @param peers the masters of {@code --raft}, this one among them
     * @return null when it has none: its connections are plain
     * @throws CommandException when it has none and may not listen there
     */
    @Nullable Credentials open(@Nullable JoinToken token, Endpoint listen, List<Peer> peers) {
        Path directory = Credentials.in(data);
        boolean isSecured = CertificateAuthority.isIn(directory);
        if (!isSecured) {
            requireNew(token, peers);
        }
        if (!tls && token == null && !isSecured) {
            insecure.requireFor(
                    "found the cluster with 'cairn master --found --tls', and let others join with"
                            + " tokens of 'cairn ca join-token' (docs/upgrade.md for a cluster that"
                            + " was plain)",
                    listen,
                    own(peers));
            return null;
        }
        OwnerOnly.begin();
        if (token != null && !isSecured) {
            Joining.joinAsMaster(token, directory, Clock.system(), new SecureRandom());
            System.out.printf("cairn: joined as master %s, authority in %s%n", id, directory);
        }
        return new Credentials(
                directory.toAbsolutePath(),
                Joining.ofMaster(directory, id, tls, Clock.system(), new SecureRandom()));
    }

    private void requireNew(@Nullable JoinToken token, List<Peer> peers) {
        boolean isUsed = Files.exists(data.resolve("FORMAT"));
        if (tls && !found && !isUsed) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "--tls makes the authority of a cluster: give --found, too, for a new one, or"
                            + " --join TOKEN for one that has TLS");
        }
        if (tls && found && isUsed) {
            throw new CommandException(
                    ExitCode.CONFIG,
                    "%s holds a cluster, and no authority: put its directory tls back; if it never"
                                    .formatted(data)
                            + " had one, give --tls without --found");
        }
        if (token != null && isUsed) {
            throw new CommandException(
                    ExitCode.CONFIG,
                    "%s holds a cluster without TLS: docs/upgrade.md tells how it gets it"
                            .formatted(data));
        }
        if (tls && peers.size() > 1) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "one master makes the authority of a cluster: give --raft %s=%s with --tls, and"
                                    .formatted(id, own(peers))
                            + " let others join with tokens of 'cairn ca join-token --role master'"
                            + (isUsed ? "; if they hold the cluster: docs/upgrade.md" : ""));
        }
    }
}
