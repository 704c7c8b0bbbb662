package io.cairn.cli;

import io.cairn.cli.api.ApiOptions;
import io.cairn.cli.option.AdminOptions;
import io.cairn.cli.option.CpuLatencyOption;
import io.cairn.cli.option.MetricsOption;
import io.cairn.cli.option.TraceOptions;
import java.lang.reflect.Field;
import java.util.Set;
import picocli.CommandLine.Model.OptionSpec;

/** The sections that the options of a command stand in, in pages of help and manuals. */
enum OptionSection {
    /** Those of the command alone. */
    OWN("Options"),

    /** How it finds a master's API, and who it is there. */
    API("To reach the admin API"),

    /** Where a service is administered and watched. */
    WATCHING("To administer and watch this process"),

    /** Those that every command has. */
    COMMON("Common options");

    private static final Set<String> OF_PRINTING = Set.of("--json", "--bytes");
    private static final Set<Class<?>> WATCHED =
            Set.of(
                    AdminOptions.class,
                    MetricsOption.class,
                    TraceOptions.class,
                    CpuLatencyOption.class);

    private final String title;

    OptionSection(String title) {
        this.title = title;
    }

    /** Its heading, without a colon. */
    String title() {
        return title;
    }

    /** Where an option belongs. */
    static OptionSection of(OptionSpec option) {
        if (option.command().root().optionsMap().containsKey(option.longestName())) {
            return COMMON;
        }
        if (option.userObject() instanceof Field field) {
            Class<?> owner = field.getDeclaringClass();
            if (owner == ApiOptions.class && !OF_PRINTING.contains(option.longestName())) {
                return API;
            }
            if (WATCHED.contains(owner) || option.longestName().equals("--admin")) {
                return WATCHING;
            }
        }
        return OWN;
    }
}
