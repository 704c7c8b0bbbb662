package io.cairn.verify.fault;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Classes of faults. */
public enum FaultKind {
    KILL_MASTER("kill -9 of a master"),
    KILL_LEADER("kill -9 of the master that leads"),
    KILL_CHUNK_SERVER("kill -9 of a chunk server"),
    KILL_MOUNT("kill -9 of a mount or a gateway"),
    KILL_ALL("kill -9 of everything at once"),
    PAUSE_MASTER("SIGSTOP of the master that leads, SIGCONT later"),
    PAUSE_CHUNK_SERVER("SIGSTOP of a chunk server, SIGCONT later"),
    PAUSE_MOUNT("SIGSTOP of a mount or a gateway, SIGCONT later");

    private final String text;

    FaultKind(String text) {
        this.text = text;
    }

    /** Its word on the command line, such as {@code kill-master}. */
    public String word() {
        return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }

    /** What it is, for people. */
    public String text() {
        return text;
    }

    /** All words. */
    public static String words() {
        return Arrays.stream(values()).map(FaultKind::word).collect(Collectors.joining(", "));
    }

    /**
     * Kinds by their words.
     *
     * @throws IllegalArgumentException for an unknown word; its message names all known ones
     */
    public static List<FaultKind> parse(String list) {
        return Arrays.stream(list.split(",", -1))
                .map(String::strip)
                .map(
                        word ->
                                Arrays.stream(values())
                                        .filter(each -> each.word().equals(word))
                                        .findFirst()
                                        .orElseThrow(
                                                () ->
                                                        new IllegalArgumentException(
                                                                "unknown fault '"
                                                                        + word
                                                                        + "'; there are "
                                                                        + words())))
                .distinct()
                .toList();
    }
}
