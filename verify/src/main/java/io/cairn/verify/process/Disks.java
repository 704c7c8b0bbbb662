package io.cairn.verify.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A disk in a file for each server. Needs root. For one thread. */
public final class Disks {
    private static final long BYTES = 768L << 20;
    private static final long TRIAL_BYTES = 16L << 20;

    private final CommandShell shell;
    private final Map<String, ImageDisk> disks = new LinkedHashMap<>();

    Disks(CommandShell shell) {
        this.shell = shell;
    }

    /** Makes the disk of a server in a directory. */
    void make(String member, Path directory) throws IOException {
        Files.createDirectories(directory);
        disks.put(member, new ImageDisk(shell, directory, BYTES));
    }

    /** Why this user can make no disks below a directory, or null when he can. */
    public static @Nullable String problem(Path directory) {
        try (CommandShell shell = new CommandShell()) {
            shell.require("perl -e 1");
            Path trial = Files.createTempDirectory(directory, "trial");
            try (ImageDisk disk = new ImageDisk(shell, trial, TRIAL_BYTES)) {
                disk.cutPower();
                disk.restorePower();
                return null;
            } finally {
                shell.run("rm -r " + CommandShell.quote(trial.toString()));
            }
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private ImageDisk disk(Member member) {
        ImageDisk disk = disks.get(member.name());
        if (disk == null) {
            throw new IllegalArgumentException(member + " has no disk of its own");
        }
        return disk;
    }

    /** From now on nothing gets to their disks, and nothing can be read. */
    public void cutPower(List<Member> members) throws IOException {
        List<ImageDisk> cut = new ArrayList<>();
        members.forEach(each -> cut.add(disk(each)));
        ImageDisk.cutPower(shell, cut);
    }

    /** The power is back; the servers have ended. */
    public void restorePower(List<Member> members) throws IOException {
        for (Member each : members) {
            disk(each).restorePower();
        }
    }

    /** Takes all room that is left. */
    public void fill(Member member) throws IOException {
        disk(member).fill();
    }

    /** Gives the room back. */
    public void empty(Member member) throws IOException {
        disk(member).empty();
    }
}
