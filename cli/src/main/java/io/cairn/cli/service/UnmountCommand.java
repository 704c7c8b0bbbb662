package io.cairn.cli.service;

import io.cairn.base.Wording;
import io.cairn.cli.doctor.ProgramRun;
import io.cairn.cli.fs.MountedPath;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn unmount}: takes a mount away, or tells who keeps it busy. */
@Command(
        name = "unmount",
        description = {
            "Unmount what 'cairn mount' mounted; what was written is stored before.",
            "A mount that is in use stays, and the processes that use it are named."
        },
        footer = {"  cairn unmount /mnt/cairn", "  cairn unmount --lazy /mnt/cairn"})
public final class UnmountCommand implements Callable<Integer> {
    private static final int LIMIT_S = 60;
    private static final int MOST_TOLD = 8;

    @Parameters(index = "0", paramLabel = "MOUNTPOINT", description = "Where it is mounted.")
    private Path mountpoint = Path.of("");

    @Option(
            names = "--lazy",
            description = "Take it out of the tree at once; who uses it may end in peace.")
    private boolean lazy;

    @Override
    public Integer call() throws Exception {
        Path at = mountpoint.toAbsolutePath().normalize();
        if (!isOurs(at)) {
            throw new CommandException(
                    ExitCode.NO_INPUT,
                    "there is no Cairn mount at " + at + "; 'findmnt -t fuse.cairn' lists them");
        }
        String why = unmount(at);
        if (why == null) {
            System.out.println(at + " is unmounted");
            return ExitCode.OK;
        }
        List<String> users = MountUsers.of(at);
        if (users.isEmpty()) {
            throw new CommandException(ExitCode.OS_ERROR, at + " cannot be unmounted: " + why);
        }
        String more = users.size() > MOST_TOLD ? ", and " + (users.size() - MOST_TOLD) : "";
        throw new CommandException(
                ExitCode.TEMPORARY,
                at
                        + " is in use by "
                        + String.join("; ", users.subList(0, Math.min(users.size(), MOST_TOLD)))
                        + (more.isEmpty() ? "" : more + " more")
                        + "; end them, or say --lazy");
    }

    /** The table is asked, not the mount: one whose process is dead answers nothing. */
    private static boolean isOurs(Path at) {
        try {
            return Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
                    .anyMatch(line -> MountedPath.isMount(line, at.toString()));
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.OS_ERROR, "/proc/self/mountinfo: " + Wording.of(e), e);
        }
    }

    /** Null when it was done, else what umount(8) or fusermount says. */
    private @Nullable String unmount(Path at) throws IOException, InterruptedException {
        String said = "";
        for (String program : List.of("umount", "fusermount3", "fusermount")) {
            List<String> command = new ArrayList<>(List.of(program));
            if (!program.equals("umount")) {
                command.add("-u");
            }
            if (lazy) {
                command.add(program.equals("umount") ? "-l" : "-z");
            }
            command.add(at.toString());
            try {
                ProgramRun run = ProgramRun.of(command, LIMIT_S);
                if (run == null) {
                    return "no answer within " + LIMIT_S + " s; try --lazy";
                }
                if (run.exitCode() == 0) {
                    return null;
                }
                String text = run.output().strip();
                said = said.isEmpty() ? text.lines().findFirst().orElse("") : said;
                if (text.contains("busy")) {
                    return said;
                }
            } catch (IOException e) {
                said = said.isEmpty() ? program + ": " + Wording.of(e) : said;
            }
        }
        return said;
    }
}
