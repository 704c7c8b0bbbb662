package io.cairn.runtime;

import io.cairn.runtime.Settings.Entry;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/** Reads a YAML file into keys and values as they are written, each with its line. */
final class SettingsFile {
    private static final int MAX_BYTES = 1 << 20;
    private static final int MAX_DEPTH = 16;

    private final Path path;
    private final Map<String, Entry> entries = new TreeMap<>();
    private final List<String> problems = new ArrayList<>();

    private SettingsFile(Path path) {
        this.path = path;
    }

    static Map<String, Entry> read(Path path) {
        SettingsFile file = new SettingsFile(path);
        file.compose(file.text()).ifPresent(file::top);
        file.refuse();
        return file.entries;
    }

    private void refuse() {
        if (!problems.isEmpty()) {
            throw new SettingsException(problems);
        }
    }

    private SettingsException unreadable(String why) {
        return new SettingsException(List.of(path + ": " + why));
    }

    private String text() {
        try {
            if (Files.size(path) > MAX_BYTES) {
                throw unreadable("larger than 1 MiB; this is not a settings file");
            }
            return Files.readString(path);
        } catch (NoSuchFileException e) {
            throw unreadable("no such file");
        } catch (CharacterCodingException e) {
            throw unreadable("not UTF-8 text");
        } catch (IOException e) {
            throw unreadable("cannot be read: " + e.getMessage());
        }
    }

    private Optional<Node> compose(String text) {
        try {
            return new Compose(LoadSettings.builder().setAllowNonScalarKeys(true).build())
                    .composeString(text);
        } catch (MarkedYamlEngineException e) {
            String line = e.getProblemMark().map(mark -> ":" + (mark.getLine() + 1)).orElse("");
            throw new SettingsException(List.of(path + line + ": not YAML: " + e.getProblem()));
        } catch (YamlEngineException e) {
            throw unreadable("not YAML: " + e.getMessage());
        }
    }

    private String place(Node node) {
        return path + node.getStartMark().map(SettingsFile::line).orElse("");
    }

    private static String line(Mark mark) {
        return ":" + (mark.getLine() + 1);
    }

    private void top(Node node) {
        if (node instanceof MappingNode map) {
            map("", map, 0);
        } else if (!(node instanceof ScalarNode scalar && scalar.getValue().isEmpty())) {
            problems.add(place(node) + ": lines like 'key: value' are expected");
        }
    }

    private void map(String prefix, MappingNode map, int depth) {
        if (depth > MAX_DEPTH) {
            problems.add(place(map) + ": nested too deeply");
            return;
        }
        for (NodeTuple tuple : map.getValue()) {
            if (tuple.getKeyNode() instanceof ScalarNode key) {
                value(prefix + key.getValue(), key, tuple.getValueNode(), depth);
            } else {
                problems.add(place(tuple.getKeyNode()) + ": a key must be a word");
            }
        }
    }

    private void value(String name, ScalarNode key, Node node, int depth) {
        switch (node) {
            case MappingNode map -> map(name + ".", map, depth + 1);
            case ScalarNode scalar -> {
                if (scalar.getValue().isEmpty() && scalar.isPlain()) {
                    problems.add(place(key) + ": " + name + " has no value");
                } else {
                    put(name, key, scalar.getValue());
                }
            }
            case SequenceNode list when list.getValue().stream().allMatch(this::isScalar) ->
                    put(
                            name,
                            key,
                            list.getValue().stream()
                                    .map(each -> ((ScalarNode) each).getValue())
                                    .collect(Collectors.joining(",")));
            default -> problems.add(place(node) + ": " + name + " takes a value or a list");
        }
    }

    private boolean isScalar(Node node) {
        return node instanceof ScalarNode;
    }

    private void put(String name, Node key, String text) {
        Entry earlier = entries.put(name, new Entry(text, place(key)));
        if (earlier != null) {
            problems.add(place(key) + ": " + name + " is set already at " + earlier.place());
        }
    }
}
