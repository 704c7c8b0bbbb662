package io.cairn.cli.fs;

import io.cairn.base.Wording;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Numbers of users and groups that this machine knows by name. */
final class NameService {
    private static final long LIMIT_S = 10;

    private NameService() {}

    /** The number of a user; fails with NO_INPUT for a name that is not known. */
    static long uid(String name) {
        return number("passwd", "user", name);
    }

    /** The number of a group; fails with NO_INPUT for a name that is not known. */
    static long gid(String name) {
        return number("group", "group", name);
    }

    private static long number(String database, String kind, String name) {
        if (name.matches("[0-9]{1,10}")) {
            return Long.parseLong(name);
        }
        try {
            Process getent =
                    new ProcessBuilder("getent", "--", database, name)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            getent.getOutputStream().close();
            boolean hasEnded = getent.waitFor(LIMIT_S, TimeUnit.SECONDS);
            if (!hasEnded) {
                getent.destroyForcibly();
            } else if (getent.exitValue() == 0) {
                String line =
                        new String(getent.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                return Long.parseLong(line.split(":", -1)[2]);
            }
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.OS_ERROR, "names cannot be looked up: " + Wording.of(e), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new CommandException(
                ExitCode.NO_INPUT,
                "this machine knows no " + kind + " '" + name + "'; give a number");
    }
}
