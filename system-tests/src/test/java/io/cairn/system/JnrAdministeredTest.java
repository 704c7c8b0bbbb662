package io.cairn.system;

import io.cairn.fuse.loop.MountOptions;

/** Snapshots, trash and quotas through a mount with libfuse. */
final class JnrAdministeredTest extends MountContractTest {
    @Override
    MountOptions options() {
        return MountOptions.parse("driver=jnr");
    }

    @Override
    protected boolean runsAdministeredAlone() {
        return true;
    }
}
