package io.cairn.system;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Makes the {@link ClassArchive} before a class of tests begins that starts processes. The first
 * one would otherwise spend the time of its first test on it, which on a busy machine is most of
 * what a test may take.
 */
public final class ClassArchivePreparation implements BeforeAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        if (startsProcesses(context.getRequiredTestClass())) {
            ClassArchive.options();
        }
    }

    /** Whether it names what starts them; other classes would wait for nothing. */
    private static boolean startsProcesses(Class<?> tests) throws IOException {
        String file = tests.getName().substring(tests.getPackageName().length() + 1) + ".class";
        try (InputStream in = Objects.requireNonNull(tests.getResourceAsStream(file))) {
            String names = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
            return names.contains("io/cairn/system/CairnProcess")
                    || names.contains("io/cairn/system/ProcessCluster");
        }
    }
}
