package io.cairn.cli.verify;

import io.cairn.fuse.FuseMount;
import io.cairn.fuse.loop.MountOptions;
import io.cairn.fuse.sys.MountException;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.verify.fault.FaultKind;
import io.cairn.verify.fault.FaultKind.Need;
import io.cairn.verify.process.Disks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What this user can do on this machine, and what is left out therefore. */
final class Abilities {
    private final Path directory;
    private final Map<Need, String> problems = new EnumMap<>(Need.class);
    private final List<String> notes = new ArrayList<>();

    /**
     * Looks.
     *
     * @param directory where the cluster will live
     * @param namespaces whether each process gets a network of its own
     */
    Abilities(Path directory, boolean namespaces) {
        this.directory = directory;
        if (!namespaces) {
            problems.put(Need.NETWORK, "needs --netns, as root");
        }
    }

    /** The faults to be injected: those asked for, or all that are possible. */
    List<FaultKind> faults(@Nullable String asked) {
        List<FaultKind> wanted;
        try {
            wanted = asked == null ? List.of(FaultKind.values()) : FaultKind.parse(asked);
        } catch (IllegalArgumentException e) {
            throw new CommandException(ExitCode.USAGE, "--faults: " + e.getMessage());
        }
        if (wanted.stream().anyMatch(each -> each.need() == Need.DISKS)) {
            String problem = Disks.problem(directory);
            if (problem != null) {
                problems.put(Need.DISKS, "no disks in files can be mounted: " + problem);
            }
        }
        List<FaultKind> possible =
                wanted.stream().filter(each -> !problems.containsKey(each.need())).toList();
        problems.forEach(
                (need, problem) -> {
                    List<FaultKind> impossible =
                            wanted.stream().filter(each -> each.need() == need).toList();
                    if (asked != null && !impossible.isEmpty()) {
                        throw new CommandException(
                                ExitCode.USAGE,
                                "--faults " + FaultKind.words(impossible) + ": " + problem);
                    }
                    if (!impossible.isEmpty()) {
                        notes.add(
                                "left out: " + FaultKind.words(impossible) + " (" + problem + ")");
                    }
                });
        if (asked == null) {
            notes.add("left out: jumps of the clock (the kernel has one for the whole machine)");
        }
        return possible;
    }

    /** Whether FUSE mounts are possible; a note says why not. */
    boolean canMount() throws IOException {
        Path trial = Files.createTempDirectory(directory, "mount");
        try {
            FuseMount.check(trial, MountOptions.parse(""));
            return true;
        } catch (MountException e) {
            notes.add("no mounts, NFS gateways in their place: " + e.getMessage());
            return false;
        } finally {
            Files.delete(trial);
        }
    }

    /** What is left out, and why. */
    List<String> notes() {
        return List.copyOf(notes);
    }
}
