package io.cairn.cli.doctor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The files of a machine that a test makes up. */
final class FakeMachine {
    private final Path root;

    FakeMachine(Path root) {
        this.root = root;
    }

    FakeMachine with(String name, String contents) {
        try {
            Path file = root.resolve(name.substring(1));
            Files.createDirectories(file.getParent());
            Files.writeString(file, contents);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    FakeMachine withProgram(String name) {
        with(name, "#!/bin/sh\n");
        if (!root.resolve(name.substring(1)).toFile().setExecutable(true)) {
            throw new AssertionError(name);
        }
        return this;
    }

    Machine machine() {
        return new Machine(root, List.of("/usr/bin", "/bin"));
    }
}
