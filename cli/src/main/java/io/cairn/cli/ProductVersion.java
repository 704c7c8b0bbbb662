package io.cairn.cli;

import picocli.CommandLine.IVersionProvider;

/** The version from the jar's manifest. */
final class ProductVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {"cairn " + text()};
    }

    static String text() {
        String version = Cairn.class.getPackage().getImplementationVersion();
        return version == null ? "(from class files)" : version;
    }
}
