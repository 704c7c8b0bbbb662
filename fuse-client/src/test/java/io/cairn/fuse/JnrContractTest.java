package io.cairn.fuse;

import io.cairn.testkit.posix.Posix;
import java.util.EnumSet;
import java.util.Set;

/**
 * The contract on a mount by driver {@code jnr}, without what libfuse 2 cannot express. It keeps no
 * file by number once the name is gone, so that opening a name that is being replaced fails with
 * ESTALE in one of some hundred attempts under load.
 */
final class JnrContractTest extends MountContract {
    @Override
    String driver() {
        return "jnr";
    }

    @Override
    Set<Posix.Capability> capabilities() {
        return EnumSet.complementOf(
                EnumSet.of(
                        Posix.Capability.RENAME_FLAGS,
                        Posix.Capability.WHITEOUT,
                        Posix.Capability.UNNAMED_FILES,
                        Posix.Capability.BIRTH_TIME,
                        Posix.Capability.SEEK_HOLES,
                        Posix.Capability.INODE_FLAGS,
                        Posix.Capability.STRICT_IMMUTABLE,
                        Posix.Capability.ATOMIC_REPLACE));
    }
}
