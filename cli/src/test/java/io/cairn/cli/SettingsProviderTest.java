package io.cairn.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Spelling;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

final class SettingsProviderTest {
    @TempDir private Path directory;

    @Command(name = "sample")
    private static final class Sample {
        @Option(names = "--chunk-servers", defaultValue = "1")
        private int chunkServers;

        @Option(names = "--masters", defaultValue = "none")
        private String masters = "";

        @Option(names = "--config")
        @SuppressWarnings("UnusedVariable") // The provider finds it itself.
        private String config = "";
    }

    private Sample parse(Map<String, String> environment, String... arguments) {
        Sample sample = new Sample();
        CommandLine line = new CommandLine(sample);
        line.setDefaultValueProvider(SettingsProvider.of(line, () -> line, arguments, environment));
        line.parseArgs(arguments);
        return sample;
    }

    private String[] config(String text) throws Exception {
        Path file = Files.writeString(directory.resolve("c.yaml"), text);
        return new String[] {"--config", file.toString()};
    }

    @Test
    void theCommandLineBeatsTheEnvironmentBeatsTheFileBeatsTheDefault() throws Exception {
        assertEquals(1, parse(Map.of()).chunkServers);
        String[] file = config("chunk-servers: 2\nmasters: [a:1, b:2]\n");
        assertEquals(2, parse(Map.of(), file).chunkServers);
        assertEquals("a:1,b:2", parse(Map.of(), file).masters);
        Map<String, String> environment = Map.of("CAIRN_CHUNK_SERVERS", "3", "HOME", "/");
        assertEquals(3, parse(environment, file).chunkServers);
        String[] all = {file[0], file[1], "--chunk-servers", "4"};
        assertEquals(4, parse(environment, all).chunkServers);
    }

    @Test
    void unknownKeysAreRefusedWithAHint() throws Exception {
        String[] file = config("chunk-server: 2\n");
        CommandException error = assertThrows(CommandException.class, () -> parse(Map.of(), file));
        assertEquals(ExitCode.CONFIG, error.exitCode());
        assertTrue(String.valueOf(error.getMessage()).contains("did you mean 'chunk-servers'?"));
        assertThrows(CommandException.class, () -> parse(Map.of("CAIRN_CHUNK_SERVRES", "1")));
    }

    @Test
    void variablesOfTheLauncherAreNotSettings() {
        assertEquals(
                1, parse(Map.of("CAIRN_JAVA_HOME", "/x", "CAIRN_JAVA_OPTS", "-X")).chunkServers);
    }

    @Test
    void theNearestNameIsNearEnough() {
        List<String> names = List.of("data", "mount", "listen");
        assertEquals("data", Spelling.nearest(names, "dta"));
        assertNull(Spelling.nearest(names, "quarantine"));
    }
}
