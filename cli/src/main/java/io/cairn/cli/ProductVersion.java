package io.cairn.cli;

import io.cairn.runtime.Release;
import picocli.CommandLine.IVersionProvider;

/** The version from the jar's manifest. */
final class ProductVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {"cairn " + text()};
    }

    static String text() {
        return Release.text();
    }
}
