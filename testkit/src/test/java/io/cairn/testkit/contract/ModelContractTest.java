package io.cairn.testkit.contract;

import io.cairn.runtime.Clock;
import io.cairn.testkit.model.ModelFileSystem;
import io.cairn.testkit.posix.Posix;
import io.cairn.testkit.posix.SeamPosix;

/** The contract of the model: the reference keeps what it is the reference of. */
public final class ModelContractTest extends FileSystemContract {
    private static final int MAX_LINKS = 50;

    @Override
    protected Posix door() {
        ModelFileSystem model = new ModelFileSystem(Clock.system(), MAX_LINKS, 64L << 30);
        return new SeamPosix(model, SeamPosix.SeamLimits.all(MAX_LINKS));
    }
}
