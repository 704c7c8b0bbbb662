package io.cairn.cli;

import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_COMMAND_LIST;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_DESCRIPTION;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_FOOTER;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_FOOTER_HEADING;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_OPTION_LIST;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_PARAMETER_LIST;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_PARAMETER_LIST_HEADING;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_SYNOPSIS;

import io.cairn.cli.api.Screen;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.ColorScheme;
import picocli.CommandLine.IHelpFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Makes pages of help in sections, as wide as the terminal. It is asked for its width only when
 * there is a page to show: picocli itself would ask at the start of every command, by a process of
 * its own that complains where the terminal controls nothing. For one thread.
 */
final class HelpPages implements IHelpFactory {
    /** Settings of picocli's layout. */
    private static final int LEAST_COLUMNS = 55;

    /** Wider lines are hard to read. */
    private static final int MOST_COLUMNS = 160;

    private static final String SECTION_KEY_COMMON = "commonOptions";

    /**
     * The purpose of a command, its words, their meaning, an example; last the options that all
     * commands have.
     */
    private static final List<String> ORDER =
            List.of(
                    SECTION_KEY_DESCRIPTION,
                    SECTION_KEY_SYNOPSIS,
                    SECTION_KEY_COMMAND_LIST_HEADING,
                    SECTION_KEY_COMMAND_LIST,
                    SECTION_KEY_PARAMETER_LIST_HEADING,
                    SECTION_KEY_PARAMETER_LIST,
                    SECTION_KEY_OPTION_LIST,
                    SECTION_KEY_FOOTER_HEADING,
                    SECTION_KEY_FOOTER,
                    SECTION_KEY_COMMON);

    private final Map<String, String> environment;
    private int columns;

    HelpPages(Map<String, String> environment) {
        this.environment = environment;
    }

    @Override
    public Help create(CommandSpec command, ColorScheme colors) {
        UsageMessageSpec usage = command.usageMessage();
        usage.width(columns());
        usage.sectionKeys(ORDER);
        usage.parameterListHeading("%nArguments:%n");
        usage.commandListHeading("%nCommands:%n");
        usage.footerHeading(usage.footer().length == 0 ? "" : "%nExamples:%n");
        usage.sectionMap()
                .put(
                        SECTION_KEY_COMMON,
                        help -> help instanceof Page page ? page.commonOptions() : "");
        return new Page(command, colors);
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

    /** The page of one command. */
    private static final class Page extends Help {
        Page(CommandSpec command, ColorScheme colors) {
            super(command, colors);
        }

        /** The required words, and a sign that there are more. */
        @Override
        public String synopsis(int headingLength) {
            List<String> words = new ArrayList<>();
            words.add("Usage: " + commandSpec().qualifiedName());
            for (OptionSpec option : commandSpec().options()) {
                if (option.required()) {
                    words.add(option.longestName() + " " + option.paramLabel());
                }
            }
            words.add("[OPTION...]");
            for (PositionalParamSpec each : commandSpec().positionalParameters()) {
                String label = each.paramLabel() + (each.arity().max() > 1 ? "..." : "");
                words.add(each.arity().min() == 0 ? "[" + label + "]" : label);
            }
            if (!commandSpec().subcommands().isEmpty()) {
                words.add(commandSpec().usageMessage().synopsisSubcommandLabel());
            }
            return "%n".formatted() + wrapped(words) + "%n".formatted();
        }

        private String wrapped(List<String> words) {
            int width = commandSpec().usageMessage().width();
            StringBuilder text = new StringBuilder();
            int column = 0;
            for (String word : words) {
                if (column > 0 && column + 1 + word.length() > width) {
                    text.append("%n".formatted()).append(" ".repeat(8));
                    column = 8;
                } else if (column > 0) {
                    text.append(' ');
                    column++;
                }
                text.append(word);
                column += word.length();
            }
            return text.toString();
        }

        @Override
        public String optionList() {
            StringBuilder text = new StringBuilder();
            for (OptionSection section : OptionSection.values()) {
                if (section != OptionSection.COMMON) {
                    text.append(list(section));
                }
            }
            return text.toString();
        }

        String commonOptions() {
            return list(OptionSection.COMMON);
        }

        private String list(OptionSection section) {
            List<OptionSpec> options =
                    commandSpec().options().stream()
                            .filter(each -> !each.hidden() && OptionSection.of(each) == section)
                            .toList();
            if (options.isEmpty()) {
                return "";
            }
            Layout layout = createDefaultLayout(options, List.of(), colorScheme());
            layout.addOptions(options, parameterLabelRenderer());
            return "%n%s:%n".formatted(section.title()) + layout;
        }
    }
}
