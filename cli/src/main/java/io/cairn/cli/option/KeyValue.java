package io.cairn.cli.option;

import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.util.List;

/**
 * A {@code KEY=VALUE} of the command line.
 *
 * @param key not empty
 * @param value perhaps empty
 */
public record KeyValue(String key, String value) {
    /** Parses; fails with USAGE. */
    public static List<KeyValue> parse(List<String> texts) {
        return texts.stream().map(KeyValue::of).toList();
    }

    private static KeyValue of(String text) {
        int equals = text.indexOf('=');
        if (equals < 1) {
            throw new CommandException(ExitCode.USAGE, "'" + text + "' is not KEY=VALUE");
        }
        return new KeyValue(text.substring(0, equals), text.substring(equals + 1));
    }
}
