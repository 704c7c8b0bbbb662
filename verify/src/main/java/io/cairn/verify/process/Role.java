package io.cairn.verify.process;

/** What a process of the cluster does. */
public enum Role {
    MASTER("m"),
    CHUNK_SERVER("c"),
    MOUNT("mount"),
    GATEWAY("gateway");

    private final String prefix;

    Role(String prefix) {
        this.prefix = prefix;
    }

    /** The name of one of them, counted from 1. */
    String name(int number) {
        return prefix + number;
    }
}
