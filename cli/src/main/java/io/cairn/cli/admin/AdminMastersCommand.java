package io.cairn.cli.admin;

import io.cairn.base.Wording;
import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Changing;
import io.cairn.cli.api.Reading;
import io.cairn.cli.option.MasterPeers;
import io.cairn.master.raft.Recovery;
import io.cairn.master.raft.member.Peer;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn admin masters}: who leads, how far the others are, and who they are to be. */
@Command(
        name = "masters",
        description = "List the masters: who leads, how far behind the others are.",
        synopsisSubcommandLabel = "[COMMAND]",
        footer = {
            "  cairn admin masters",
            "  cairn admin masters lead m2",
            "  cairn admin masters add m4=10.0.0.4:9872",
            "  cairn admin masters replace m2 m4=10.0.0.4:9872",
            "  cairn admin masters remove m3",
            "  cairn admin masters finish-upgrade --plan",
            "  cairn admin masters recover --data /srv/m1"
        })
@Calls("GET /masters")
final class AdminMastersCommand implements Callable<Integer> {
    @Mixin private Reading reading = new Reading();

    @Override
    public Integer call() {
        return reading.list(
                ApiRequest.of("GET /masters"),
                "id role state silentSince release term commitIndex:entries lagEntries:lag address"
                        + " raft");
    }

    @Command(
            name = "show",
            description = "Show a master.",
            footer = "  cairn admin masters show m1")
    @Calls("GET /masters/{id}")
    int show(
            @Parameters(paramLabel = "ID", description = "As listed.") String id,
            @Mixin Reading asked) {
        return asked.show(ApiRequest.of("GET /masters/{id}", id));
    }

    @Command(
            name = "lead",
            description = "Make a master lead.",
            footer = "  cairn admin masters lead m2 --plan")
    @Calls("POST /masters/{id}/lead")
    int lead(
            @Parameters(paramLabel = "ID", description = "As listed.") String id,
            @Mixin Changing changing) {
        return changing.done(
                changing.apply(ApiRequest.of("POST /masters/{id}/lead", id)),
                "master " + id + " leads");
    }

    @Command(
            name = "add",
            description = {
                "Make a master one of the masters of the cluster, while it runs.",
                "It was started before on an empty directory, with --join."
            },
            footer = "  cairn admin masters add m4=10.0.0.4:9872")
    @Calls("POST /masters")
    int add(
            @Parameters(
                            paramLabel = "NAME=HOST:PORT",
                            description = "Its name and where the others reach it, as in --raft.")
                    String newcomer,
            @Mixin Changing changing) {
        Peer peer = peer(newcomer);
        return changing.done(
                changing.apply(ApiRequest.of("POST /masters").body(body(peer))),
                peer.id() + " is one of the masters");
    }

    @Command(
            name = "remove",
            description = {
                "Remove a master from the cluster for good; it stops.",
                "Refused when the rest would have no majority that answers."
            },
            footer = "  cairn admin masters remove m3 --plan")
    @Calls("DELETE /masters/{id}")
    int remove(
            @Parameters(paramLabel = "ID", description = "As listed; it may be dead.") String id,
            @Mixin Changing changing) {
        return changing.done(
                changing.apply(ApiRequest.of("DELETE /masters/{id}", id)),
                id + " is none of the masters any more");
    }

    @Command(
            name = "replace",
            description = {
                "Put a new master in the place of one that is dead, or is to go.",
                "The new one was started before on an empty directory, with --join."
            },
            footer = "  cairn admin masters replace m2 m4=10.0.0.4:9872")
    @Calls("POST /masters/{id}/replace")
    int replace(
            @Parameters(paramLabel = "OLD", description = "As listed; it may be dead.") String old,
            @Parameters(
                            paramLabel = "NEW=HOST:PORT",
                            description = "Its name and where the others reach it, as in --raft.")
                    String newcomer,
            @Mixin Changing changing) {
        Peer peer = peer(newcomer);
        return changing.done(
                changing.apply(ApiRequest.of("POST /masters/{id}/replace", old).body(body(peer))),
                peer.id() + " is in the place of " + old);
    }

    private static Peer peer(String text) {
        List<Peer> peers = MasterPeers.parse("argument", text);
        if (peers.size() != 1) {
            throw new CommandException(ExitCode.USAGE, "give one master: NAME=HOST:PORT");
        }
        return peers.getFirst();
    }

    private static Map<String, Object> body(Peer peer) {
        return Map.of("id", peer.id(), "raft", peer.raft().toString());
    }

    @Command(
            name = "finish-upgrade",
            description = {
                "End a rolling upgrade: let the cluster use what all its masters understand.",
                "There is no step back to an older release behind it."
            },
            footer = "  cairn admin masters finish-upgrade --plan")
    @Calls("POST /cluster/level")
    int finishUpgrade(@Mixin Changing changing) {
        return changing.done(
                changing.applyWithConsent(ApiRequest.of("POST /cluster/level")),
                "the cluster uses what all its masters understand");
    }

    @Command(
            name = "recover",
            description = {
                "Go on with what one master holds, when the directories of a majority are lost"
                        + " for good.",
                "For a master that is stopped. What only the others had acknowledged is lost. All"
                        + " other masters have to begin with empty directories; mounts have to be"
                        + " made anew.",
                "While a majority has its directories nothing of this is needed: start them."
            },
            footer = {
                "  cairn admin masters recover --data /srv/m1",
                "  cairn admin masters recover --data /srv/m1 --yes"
            })
    int recover(
            @Option(
                            names = "--data",
                            required = true,
                            paramLabel = "DIR",
                            description = "The data directory of the master.")
                    Path data,
            @Option(names = "--yes", description = "Do not only tell what would be done: do it.")
                    boolean yes) {
        try (Recovery recovery = Recovery.of(data)) {
            System.out.printf(
                    "master %s holds cluster %s up to entry %d of its log%n",
                    recovery.masterId(), recovery.cluster(), recovery.lastEntry());
            if (!yes) {
                System.out.println(
                        "with --yes it goes on alone with that: what only others had acknowledged"
                                + " is lost. Of several directories take the one with the highest"
                                + " entry");
                return ExitCode.OK;
            }
            recovery.begin(new SecureRandom());
            System.out.printf(
                    "start master %s with the same list of masters, and the others with empty"
                            + " directories: they join it; then unmount and mount again%n",
                    recovery.masterId());
            return ExitCode.OK;
        } catch (IOException e) {
            throw new CommandException(ExitCode.of(e), Wording.of(e), e);
        }
    }
}
