package io.cairn.node;

import io.cairn.cluster.Endpoint;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The source of a mount: {@code HOST:PORT[,HOST:PORT...][:/subdir]}.
 *
 * @param masters the masters
 * @param subdirectory absolute path of the directory that becomes the root; {@code /} for
 *     everything
 */
public record Source(List<Endpoint> masters, String subdirectory) {
    /** Parses; fails with USAGE. */
    public static Source parse(String text) {
        int slash = text.indexOf(":/");
        String masters = slash < 0 ? text : text.substring(0, slash);
        String path = slash < 0 ? "/" : text.substring(slash + 1);
        return new Source(MasterList.parse(masters), path);
    }

    @Override
    public String toString() {
        String list = masters.stream().map(Endpoint::toString).collect(Collectors.joining(","));
        return subdirectory.equals("/") ? list : list + ":" + subdirectory;
    }
}
