package io.cairn.fuse;

import io.cairn.testkit.Posix;
import java.util.EnumSet;
import java.util.Set;

/** The contract on a mount by driver {@code jnr}, without what libfuse 2 cannot express. */
final class JnrContractTest extends MountContract {
    @Override
    String driver() {
        return "jnr";
    }

    @Override
    Set<Posix.Capability> capabilities() {
        return EnumSet.complementOf(
                EnumSet.of(Posix.Capability.RENAME_FLAGS, Posix.Capability.SEEK_HOLES));
    }
}
