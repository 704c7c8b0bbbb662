package io.cairn.testkit.fuzz;

import io.cairn.runtime.Clock;
import io.cairn.testkit.contract.FileSystemContract;
import io.cairn.testkit.model.ModelFileSystem;
import io.cairn.testkit.posix.NativePosix;
import io.cairn.testkit.posix.Posix;
import io.cairn.testkit.posix.SeamPosix;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import net.jqwik.api.lifecycle.Lifespan;
import net.jqwik.api.lifecycle.Store;

/** The model against tmpfs, in step: the model tells the truth about Linux. */
final class PosixFuzzTest {
    private static final Store<Path> DIRECTORY =
            Store.getOrCreate("directory", Lifespan.RUN, PosixFuzzTest::newDirectory);

    private static final Set<Posix.Capability> ALL = EnumSet.allOf(Posix.Capability.class);

    private static Path newDirectory() {
        try {
            Path made = Files.createTempDirectory(Path.of("/dev/shm"), "cairn-fuzz");
            Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxr-xr-x"));
            return made;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @BeforeContainer
    static void prepare() {
        DIRECTORY.get();
    }

    @AfterContainer
    static void remove() {
        Path made = DIRECTORY.get();
        try (Posix above = new NativePosix(Path.of("/dev/shm"), Set.of(), 0)) {
            String name = made.getFileName().toString();
            FileSystemContract.clear(above, name);
            above.rmdir(name);
        }
    }

    @Provide
    Arbitrary<List<PosixFuzz.Step>> steps() {
        Arbitrary<Integer> path = Arbitraries.integers().between(0, PosixFuzz.PATHS.size() - 1);
        return Combinators.combine(
                        Arbitraries.of(PosixFuzz.Call.class),
                        Arbitraries.frequency(Tuple.of(6, 0), Tuple.of(2, 1), Tuple.of(1, 2)),
                        path,
                        path,
                        Arbitraries.integers().between(0, 9999))
                .as(PosixFuzz.Step::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(150);
    }

    @Property(tries = 250, shrinking = ShrinkingMode.FULL)
    void modelAnswersLikeTmpfs(@ForAll("steps") List<PosixFuzz.Step> steps) {
        ModelFileSystem model = new ModelFileSystem(Clock.system());
        try (Posix one = new SeamPosix(model, SeamPosix.SeamLimits.all(0));
                Posix above = new NativePosix(DIRECTORY.get(), ALL, 0)) {
            above.mkdir("run", 0777);
            try (Posix two = above.process("run")) {
                PosixFuzz.run(one, two, steps);
            } finally {
                FileSystemContract.clear(above, "run");
                above.rmdir("run");
            }
        }
    }
}
