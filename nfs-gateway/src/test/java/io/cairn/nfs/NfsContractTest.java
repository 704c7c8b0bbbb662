package io.cairn.nfs;

import io.cairn.testkit.contract.FileSystemContract;
import io.cairn.testkit.posix.Posix;
import io.cairn.testkit.posix.SeamPosix;
import java.util.EnumSet;
import org.junit.jupiter.api.AfterEach;

/** The contract of a filesystem through the gateway, over the model. */
final class NfsContractTest extends FileSystemContract {
    private final ModelGateway gateway = new ModelGateway();

    @Override
    protected Posix door() {
        return new SeamPosix(
                new NfsFileSystem(gateway.endpoint()),
                new SeamPosix.SeamLimits(
                        EnumSet.of(
                                Posix.Capability.LOCKS,
                                Posix.Capability.SPECIAL_FILES,
                                Posix.Capability.KILL_PRIVILEGE),
                        0));
    }

    @AfterEach
    void stop() {
        gateway.close();
    }
}
