package io.cairn.cli.option;

import io.cairn.runtime.Release;
import picocli.CommandLine.IVersionProvider;

/** The version from the jar's manifest. */
public final class ProductVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {"cairn " + Release.text()};
    }
}
