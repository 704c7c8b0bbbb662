package io.cairn.cli;

import io.cairn.base.Spelling;
import io.cairn.cli.api.ApiOptions;
import io.cairn.cli.option.IdentityOptions;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import picocli.CommandLine;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Values for options that the command line does not give: first from the environment ({@code
 * --chunk-servers} is {@code CAIRN_CHUNK_SERVERS}), then from the YAML file of {@code --config},
 * whose keys are the names of the options without dashes in front. Unknown keys and variables are
 * refused with the nearest known one.
 */
final class SettingsProvider implements IDefaultValueProvider {
    /**
     * Variables that the launcher and the build read, a secret that is no option, and the identity
     * of commands: services have each its own.
     */
    private static final Set<String> OTHER_VARIABLES =
            Set.of(
                    "CAIRN_JAVA_HOME",
                    "CAIRN_JAVA_OPTS",
                    ApiOptions.TOKEN_VARIABLE,
                    IdentityOptions.VARIABLE);

    /** Options that only make sense on a command line. */
    private static final Set<String> NOT_SETTINGS =
            Set.of("help", "version", "config", "debug", "detach", "json", "for", "output", "log");

    private final Map<String, String> environment;
    private final Map<String, String> file;

    private SettingsProvider(Map<String, String> environment, Map<String, String> file) {
        this.environment = environment;
        this.file = file;
    }

    /**
     * Reads the environment and the file.
     *
     * @param called the command, or what it is part of
     * @param commands all there are; asked for only when there are settings of others
     * @throws CommandException with CONFIG when one of them holds something unknown or unreadable
     */
    static SettingsProvider of(
            CommandLine called,
            Supplier<CommandLine> commands,
            String[] arguments,
            Map<String, String> variables) {
        Known known = new Known(called, commands);
        Map<String, String> environment = new HashMap<>();
        for (Map.Entry<String, String> variable : variables.entrySet()) {
            String name = variable.getKey();
            if (!name.startsWith("CAIRN_") || OTHER_VARIABLES.contains(name)) {
                continue;
            }
            String key = name.substring(6).toLowerCase(Locale.ROOT).replace('_', '-');
            require(known, key, "environment variable " + name);
            environment.put(key, variable.getValue());
        }
        Map<String, String> file = new HashMap<>();
        Path path = configFile(arguments);
        if (path != null) {
            read(path)
                    .forEach(
                            (key, value) -> {
                                require(known, key, path + ": key '" + key + "'");
                                file.put(key, value);
                            });
        }
        return new SettingsProvider(environment, file);
    }

    private static void collect(CommandSpec command, Set<String> known) {
        for (OptionSpec option : command.options()) {
            if (isSetting(option)) {
                known.add(key(option));
            }
        }
        new HashSet<>(command.subcommands().values())
                .forEach(c -> collect(c.getCommandSpec(), known));
    }

    /** Of what calls the admin API only how to reach it is worth keeping. */
    private static boolean isSetting(OptionSpec option) {
        String key = key(option);
        return !NOT_SETTINGS.contains(key)
                && (ApiOptions.routes(option.command()).isEmpty()
                        || option.inherited()
                        || ApiOptions.SETTINGS.contains(key));
    }

    private static String key(OptionSpec option) {
        String name = option.longestName();
        return name.startsWith("--") ? name.substring(2) : name.substring(1);
    }

    /** The settings of the called command, and when there are others, of all commands. */
    private static final class Known {
        private final CommandLine called;
        private final Supplier<CommandLine> commands;
        private final Set<String> own = new TreeSet<>();
        private final Set<String> all = new TreeSet<>();

        Known(CommandLine called, Supplier<CommandLine> commands) {
            this.called = called;
            this.commands = commands;
        }

        boolean isOwn(String key) {
            if (own.isEmpty()) {
                collect(called.getCommandSpec(), own);
            }
            return own.contains(key);
        }

        Set<String> all() {
            if (all.isEmpty()) {
                collect(commands.get().getCommandSpec(), all);
            }
            return all;
        }
    }

    private static void require(Known known, String key, String what) {
        if (!known.isOwn(key) && !known.all().contains(key)) {
            String hint = Spelling.nearest(known.all(), key);
            throw new CommandException(
                    ExitCode.CONFIG,
                    what
                            + " is not a setting of Cairn"
                            + (hint == null ? "" : "; did you mean '" + hint + "'?"));
        }
    }

    private static @Nullable Path configFile(String[] arguments) {
        String path = option("--config", arguments);
        return path == null ? null : Path.of(path);
    }

    /** A setting that is needed before the command line is parsed: its value there wins. */
    @Nullable String value(String key, String[] arguments) {
        String given = option("--" + key, arguments);
        if (given != null) {
            return given;
        }
        String value = environment.get(key);
        return value != null ? value : file.get(key);
    }

    /** Whether a setting is the file's to decide: there is one, and nothing goes before it. */
    boolean isFromFile(String key, String[] arguments) {
        return configFile(arguments) != null
                && option("--" + key, arguments) == null
                && !environment.containsKey(key);
    }

    private static @Nullable String option(String name, String[] arguments) {
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i].equals(name) && i + 1 < arguments.length) {
                return arguments[i + 1];
            }
            if (arguments[i].startsWith(name + "=")) {
                return arguments[i].substring(name.length() + 1);
            }
        }
        return null;
    }

    private static Map<String, String> read(Path path) {
        Object document;
        try {
            LoadSettings settings = LoadSettings.builder().setLabel(path.toString()).build();
            document = new Load(settings).loadFromString(Files.readString(path));
        } catch (NoSuchFileException e) {
            throw new CommandException(
                    ExitCode.CONFIG, "configuration file " + path + " does not exist", e);
        } catch (IOException | YamlEngineException e) {
            String text = String.valueOf(e.getMessage()).lines().collect(Collectors.joining(" "));
            throw new CommandException(
                    ExitCode.CONFIG, "configuration file " + path + " cannot be read: " + text, e);
        }
        Map<String, String> values = new HashMap<>();
        if (document == null) {
            return values;
        }
        if (!(document instanceof Map<?, ?> map)) {
            throw new CommandException(
                    ExitCode.CONFIG,
                    "configuration file " + path + " must hold 'key: value' lines");
        }
        map.forEach((key, value) -> values.put(String.valueOf(key), text(value)));
        return values;
    }

    private static String text(@Nullable Object value) {
        if (value instanceof List<?> list) {
            return list.stream().map(String::valueOf).collect(Collectors.joining(","));
        }
        return String.valueOf(value);
    }

    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
        if (!(argument instanceof OptionSpec option) || !isSetting(option)) {
            return null;
        }
        String key = key(option);
        String value = environment.get(key);
        return value != null ? value : file.get(key);
    }
}
