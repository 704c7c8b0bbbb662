package io.cairn.cli.option;

import io.cairn.node.MasterWait;
import java.util.List;
import picocli.CommandLine.Option;

/** The option {@code --wait}: how long a command waits for masters that are starting. */
public final class WaitOption {
    private static final int MOST_S = 86_400;

    @Option(
            names = "--wait",
            paramLabel = "SECONDS",
            defaultValue = "" + MasterWait.STANDARD_S,
            description = "Wait so long for masters that are starting (default: ${DEFAULT-VALUE}).")
    private int seconds = MasterWait.STANDARD_S;

    /** The limit, milliseconds; fails with USAGE when it makes no sense. */
    public long limitMs() {
        return limitS() * 1000L;
    }

    /** The same in seconds. */
    public int limitS() {
        Require.between("--wait", seconds, 0, MOST_S);
        return seconds;
    }

    /** The option again, for another process. */
    public List<String> arguments() {
        return List.of("--wait", String.valueOf(seconds));
    }
}
