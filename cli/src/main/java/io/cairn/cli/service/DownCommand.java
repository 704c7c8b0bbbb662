package io.cairn.cli.service;

import io.cairn.cli.api.Pause;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.RunFile;
import io.cairn.runtime.Deadline;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code cairn down}: stops what {@code cairn up} started. */
@Command(
        name = "down",
        description = "Stop the cluster that 'cairn up' started: drain, unmount, end.",
        footer = {"  cairn down", "  cairn down --data /srv/cairn"})
public final class DownCommand implements Callable<Integer> {
    private static final long STOP_LIMIT_S = 30;
    private static final long LOOK_MS = 50;

    @Mixin private DataDirectory data = new DataDirectory();

    @Override
    public Integer call() {
        RunFile running = data.running();
        ProcessHandle process = running.process();
        if (process == null) {
            return ExitCode.OK;
        }
        process.destroy();
        Deadline end = Deadline.afterS(STOP_LIMIT_S);
        while (running.process() != null) {
            if (end.isOver()) {
                throw new CommandException(
                        ExitCode.TEMPORARY,
                        "process "
                                + running.pid()
                                + " has not ended within "
                                + STOP_LIMIT_S
                                + " s; look at its log, or end it with 'kill -9 "
                                + running.pid()
                                + "' (nothing acknowledged is lost)");
            }
            Pause.millis(LOOK_MS, ExitCode.TEMPORARY, "process " + running.pid() + " is stopping");
        }
        System.out.println("cairn on " + data.path() + " has stopped");
        return ExitCode.OK;
    }
}
