package io.cairn.system;

import io.cairn.fuse.loop.MountOptions;
import io.cairn.testkit.posix.Posix;
import java.util.EnumSet;
import java.util.Set;

/** Snapshots, trash and quotas through a mount with libfuse. */
final class JnrAdministeredTest extends MountContractTest {
    @Override
    MountOptions options() {
        return MountOptions.parse("driver=jnr");
    }

    @Override
    Set<Posix.Capability> capabilities() {
        return EnumSet.complementOf(EnumSet.of(Posix.Capability.SEEK_HOLES));
    }

    @Override
    protected boolean runsAdministeredAlone() {
        return true;
    }
}
