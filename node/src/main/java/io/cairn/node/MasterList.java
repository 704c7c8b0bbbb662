package io.cairn.node;

import io.cairn.cluster.Endpoint;
import java.util.ArrayList;
import java.util.List;

/** Lists of endpoints on the command line. */
public final class MasterList {
    private MasterList() {}

    /** Parses {@code HOST:PORT[,HOST:PORT...]}; fails with USAGE. */
    public static List<Endpoint> parse(String text) {
        List<Endpoint> endpoints = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            endpoints.add(endpoint(part.strip()));
        }
        return endpoints;
    }

    /** Parses {@code HOST:PORT}; fails with USAGE. */
    public static Endpoint endpoint(String text) {
        try {
            return Endpoint.parse(text);
        } catch (IllegalArgumentException e) {
            throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
        }
    }
}
