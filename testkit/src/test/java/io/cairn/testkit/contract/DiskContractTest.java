package io.cairn.testkit.contract;

import java.nio.file.Path;

/** The contract against the filesystem that holds temporary files: ext4, XFS, overlay ... */
final class DiskContractTest extends LinuxContract {
    @Override
    Path parent() {
        return Path.of(System.getProperty("java.io.tmpdir"));
    }
}
