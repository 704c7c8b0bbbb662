package io.cairn.cli.option;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Where traces go, and what is refused. */
final class TraceOptionsTest {
    private static TraceOptions parsed(String... arguments) {
        TraceOptions options = new TraceOptions();
        CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();
        spec.addMixin("traces", CommandLine.Model.CommandSpec.forAnnotatedObject(options));
        new CommandLine(spec).parseArgs(arguments);
        return options;
    }

    private static void refused(String why, String... arguments) {
        CommandException error =
                assertThrows(CommandException.class, () -> parsed(arguments).check());
        assertEquals(ExitCode.USAGE, error.exitCode());
        assertTrue(String.valueOf(error.getMessage()).contains(why), error.getMessage());
    }

    private static String address(String url) {
        return String.valueOf(parsed("--trace-to", url).address());
    }

    @Test
    void withoutAnAddressThereAreNone() {
        assertEquals(null, parsed().open());
        assertEquals(List.of(), parsed("--trace-ratio", "0.5").arguments());
    }

    @Test
    void thePathOfTheProtocolIsAdded() {
        assertEquals("http://10.0.0.9:4318/v1/traces", address("http://10.0.0.9:4318"));
        assertEquals("http://10.0.0.9:4318/v1/traces", address("http://10.0.0.9:4318/"));
        assertEquals("https://host/otlp/v1/traces", address("HTTPS://host/otlp/"));
        assertEquals("http://[::1]:4318/v1/traces", address("http://[::1]:4318/v1/traces"));
    }

    @Test
    void theOptionsGoToAnotherProcess() {
        List<String> given = List.of("--trace-to", "http://a:1", "--trace-ratio", "0.25");
        assertEquals(given, parsed(given.toArray(String[]::new)).arguments());
    }

    @Test
    void whatIsNoAddressIsRefusedWithAnExample() {
        refused("it must begin with http://", "--trace-to", "10.0.0.9");
        refused("it must begin with http://", "--trace-to", "grpc://10.0.0.9:4317");
        refused("it names no host", "--trace-to", "http:///v1");
        refused("it names no host", "--trace-to", "http://host_:x/");
        refused("no address of a collector", "--trace-to", "http://a b");
        refused("its port must be from 1", "--trace-to", "http://a:99999");
        refused("host, port and path only", "--trace-to", "http://me:secret@a:1");
        refused("host, port and path only", "--trace-to", "http://a:1/?x=y");
        refused("give for instance http://10.0.0.9:4318", "--trace-to", "nonsense");
    }

    @Test
    void aShareLiesBetweenNothingAndAll() {
        refused("--trace-ratio is 1.5; it must be from 0 to 1", "--trace-ratio", "1.5");
        refused("it must be from 0 to 1", "--trace-ratio", "-0.1");
        refused("it must be from 0 to 1", "--trace-ratio", "NaN");
        parsed("--trace-ratio", "0").check();
        parsed("--trace-ratio", "1").check();
    }
}
