package io.cairn.cli.service;

import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.RunFile;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code cairn down}: stops what {@code cairn up} started. */
@Command(
        name = "down",
        description = "Stop the cluster that 'cairn up' started: drain, unmount, end.",
        footer = {"  cairn down", "  cairn down --data /srv/cairn"})
public final class DownCommand implements Callable<Integer> {
    private static final long STOP_LIMIT_S = 30;

    @Mixin private DataDirectory data = new DataDirectory();

    @Override
    public Integer call() throws InterruptedException {
        RunFile running = data.running();
        ProcessHandle process = running.process();
        if (process == null) {
            return ExitCode.OK;
        }
        process.destroy();
        try {
            process.onExit().get(STOP_LIMIT_S, TimeUnit.SECONDS);
        } catch (TimeoutException | ExecutionException e) {
            throw new CommandException(
                    ExitCode.TEMPORARY,
                    "process "
                            + running.pid()
                            + " has not ended within "
                            + STOP_LIMIT_S
                            + " s; look at its log, or end it with 'kill -9 "
                            + running.pid()
                            + "' (nothing acknowledged is lost)",
                    e);
        }
        System.out.println("cairn on " + data.path() + " has stopped");
        return ExitCode.OK;
    }
}
