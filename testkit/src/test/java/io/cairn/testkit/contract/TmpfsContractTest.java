package io.cairn.testkit.contract;

import java.nio.file.Path;

/** The contract against tmpfs. */
final class TmpfsContractTest extends LinuxContract {
    @Override
    Path parent() {
        return Path.of("/dev/shm");
    }
}
