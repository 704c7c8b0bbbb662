package io.cairn.runtime;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a process. For each key the first of these counts: the command line, the
 * environment ({@code CAIRN_LEASE_MS} for {@code lease-ms}), the file, the standard of the key. A
 * key that nobody declared is refused, with the nearest one as a hint. Immutable.
 */
public final class Settings {
    /** How the names of all variables begin. */
    public static final String VARIABLE_PREFIX = "CAIRN_";

    /** A value as it was written. */
    record Entry(String text, String place) {}

    private final Map<String, Object> values;
    private final Map<String, String> places;

    private Settings(Map<String, Object> values, Map<String, String> places) {
        this.values = values;
        this.places = places;
    }

    /** Where settings come from. Every part may be empty. */
    public static final class Sources {
        private final Map<String, Entry> commandLine = new TreeMap<>();
        private final Map<String, Entry> environment = new TreeMap<>();
        private final Map<String, Entry> file = new TreeMap<>();

        /** Nothing yet: all keys have their standards. */
        public Sources() {}

        /**
         * A value from the command line.
         *
         * @param option the option as the user wrote it, for messages
         */
        public Sources option(String option, String key, String value) {
            commandLine.put(key, new Entry(value, option));
            return this;
        }

        /**
         * The variables that begin with {@value Settings#VARIABLE_PREFIX}.
         *
         * @param others variables with that beginning that are no settings
         */
        public Sources environment(Map<String, String> variables, Set<String> others) {
            variables.forEach(
                    (name, value) -> {
                        if (name.startsWith(VARIABLE_PREFIX) && !others.contains(name)) {
                            environment.put(name, new Entry(value, name));
                        }
                    });
            return this;
        }

        /**
         * A YAML file. Maps within maps are read as keys with points between the names.
         *
         * @throws SettingsException when it cannot be read; the message names file and line
         */
        public Sources file(Path path) {
            file.putAll(SettingsFile.read(path));
            return this;
        }
    }

    /**
     * Reads the settings.
     *
     * @param keys all that may be set
     * @throws SettingsException with all problems at once
     */
    public static Settings load(Collection<? extends SettingKey<?>> keys, Sources sources) {
        List<String> problems = new ArrayList<>();
        Map<String, Object> values = new HashMap<>();
        Map<String, String> places = new HashMap<>();
        List<String> names = keys.stream().map(key -> key.name()).toList();
        List<String> variables = keys.stream().map(key -> key.variable()).toList();
        refuseUnknown(sources.commandLine, names, "key", problems);
        refuseUnknown(sources.environment, variables, "variable", problems);
        refuseUnknown(sources.file, names, "key", problems);
        for (SettingKey<?> key : keys) {
            Entry entry = first(key, sources);
            if (entry == null) {
                values.put(key.name(), key.standard());
                places.put(key.name(), "standard");
                continue;
            }
            places.put(key.name(), entry.place);
            try {
                values.put(key.name(), key.parse(entry.text));
            } catch (IllegalArgumentException e) {
                problems.add(
                        "%s: %s is '%s', but takes %s"
                                .formatted(entry.place, key.name(), entry.text, key.values()));
            }
        }
        if (!problems.isEmpty()) {
            throw new SettingsException(problems);
        }
        return new Settings(values, places);
    }

    private static @Nullable Entry first(SettingKey<?> key, Sources sources) {
        Entry entry = sources.commandLine.get(key.name());
        if (entry == null) {
            entry = sources.environment.get(key.variable());
        }
        return entry == null ? sources.file.get(key.name()) : entry;
    }

    private static void refuseUnknown(
            Map<String, Entry> entries, List<String> known, String kind, List<String> problems) {
        entries.forEach(
                (name, entry) -> {
                    if (!known.contains(name)) {
                        String place = entry.place.equals(name) ? "environment" : entry.place;
                        String near = Spelling.nearest(name, known);
                        problems.add(
                                "%s: unknown %s '%s'%s"
                                        .formatted(
                                                place,
                                                kind,
                                                name,
                                                near == null
                                                        ? ""
                                                        : "; did you mean '" + near + "'?"));
                    }
                });
    }

    /**
     * The value of a key.
     *
     * @throws IllegalArgumentException when the key was not among those loaded
     */
    @SuppressWarnings("unchecked") // The value was made by this key, or by its namesake.
    public <T> T get(SettingKey<T> key) {
        Object value = values.get(key.name());
        if (value == null) {
            throw new IllegalArgumentException(key + " is not among the keys loaded");
        }
        return (T) value;
    }

    /** Where the value of a key comes from: an option, a variable, file and line, "standard". */
    public String placeOf(SettingKey<?> key) {
        return places.getOrDefault(key.name(), "standard");
    }
}
