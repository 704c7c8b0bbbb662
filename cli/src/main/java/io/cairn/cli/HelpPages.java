package io.cairn.cli;

import io.cairn.cli.api.Screen;
import java.util.Map;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.ColorScheme;
import picocli.CommandLine.IHelpFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Makes pages of help as wide as the terminal. It is asked for its width only when there is a page
 * to show: picocli itself would ask at the start of every command, by a process of its own that
 * complains where the terminal controls nothing. For one thread.
 */
final class HelpPages implements IHelpFactory {
    /** What picocli can lay out. */
    private static final int LEAST_COLUMNS = 55;

    /** Wider lines are hard to read. */
    private static final int MOST_COLUMNS = 160;

    private final Map<String, String> environment;
    private int columns;

    HelpPages(Map<String, String> environment) {
        this.environment = environment;
    }

    @Override
    public Help create(CommandSpec command, ColorScheme colors) {
        command.usageMessage().width(columns());
        return new Help(command, colors);
    }

    private int columns() {
        if (columns == 0) {
            Screen screen = Screen.of(environment);
            columns =
                    screen.isUnlimited()
                            ? UsageMessageSpec.DEFAULT_USAGE_WIDTH
                            : Math.clamp(screen.columns(), LEAST_COLUMNS, MOST_COLUMNS);
        }
        return columns;
    }
}
