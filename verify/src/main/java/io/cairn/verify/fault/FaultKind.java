package io.cairn.verify.fault;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Classes of faults. */
public enum FaultKind {
    KILL_MASTER(Need.NOTHING),
    KILL_LEADER(Need.NOTHING),
    KILL_CHUNK_SERVER(Need.NOTHING),
    KILL_MOUNT(Need.NOTHING),
    KILL_ALL(Need.NOTHING),
    PAUSE_LEADER(Need.NOTHING),
    PAUSE_CHUNK_SERVER(Need.NOTHING),
    PAUSE_MOUNT(Need.NOTHING),
    CORRUPT(Need.NOTHING),
    LOSE_DISK(Need.NOTHING),
    POWER_CUT(Need.DISKS),
    POWER_CUT_ONE(Need.DISKS),
    DISK_ERROR(Need.DISKS),
    DISK_FULL(Need.DISKS),
    PARTITION(Need.NETWORK),
    RESET(Need.NETWORK),
    SLOW_NETWORK(Need.NETWORK);

    private final Need need;

    /** What a fault needs of the machine. */
    public enum Need {
        NOTHING,
        /** Filesystems in files that this user may mount. */
        DISKS,
        /** A network namespace for each process. */
        NETWORK
    }

    FaultKind(Need need) {
        this.need = need;
    }

    /** What it needs of the machine. */
    public Need need() {
        return need;
    }

    /** Its word on the command line, such as {@code kill-master}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Words of kinds. */
    public static String words(List<FaultKind> kinds) {
        return kinds.stream().map(FaultKind::word).collect(Collectors.joining(", "));
    }

    /**
     * Kinds by their words.
     *
     * @throws IllegalArgumentException for an unknown word; its message names all known ones
     */
    public static List<FaultKind> parse(String list) {
        return Arrays.stream(list.split(",", -1))
                .map(String::strip)
                .map(FaultKind::of)
                .distinct()
                .toList();
    }

    private static FaultKind of(String word) {
        return Arrays.stream(values())
                .filter(each -> each.word().equals(word))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "unknown fault '"
                                                + word
                                                + "'; there are "
                                                + words(List.of(values()))));
    }
}
