package io.cairn.system;

import io.cairn.cli.Cairn;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import tools.jackson.jr.ob.JSON;

/** How a command ended that ran in the JVM of the test. */
public record CommandResult(int code, String out, String errors) {
    /** Runs a command to its end. */
    public static CommandResult of(List<String> arguments) {
        StringWriter out = new StringWriter();
        StringWriter errors = new StringWriter();
        int code =
                Cairn.run(
                        arguments.toArray(String[]::new),
                        new PrintWriter(out),
                        new PrintWriter(errors));
        return new CommandResult(code, out.toString(), errors.toString());
    }

    Map<String, Object> json() throws Exception {
        return JSON.std.mapFrom(out);
    }
}
