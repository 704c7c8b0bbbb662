package io.cairn.fuse;

import io.cairn.testkit.posix.Posix;
import java.util.EnumSet;
import java.util.Set;

/** The contract on a mount by driver {@code kernel}. */
final class KernelContractTest extends MountContract {
    @Override
    String driver() {
        return "kernel";
    }

    @Override
    Set<Posix.Capability> capabilities() {
        return EnumSet.allOf(Posix.Capability.class);
    }
}
