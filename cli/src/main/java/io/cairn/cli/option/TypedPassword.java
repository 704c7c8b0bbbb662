package io.cairn.cli.option;

import io.cairn.identity.scram.Password;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.io.ByteArrayOutputStream;
import java.io.Console;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Passwords from the terminal, or from the first line of the standard input if it is none. */
public final class TypedPassword {
    private static final int MOST_BYTES = 4 * Password.MOST_LENGTH;

    private TypedPassword() {}

    /**
     * Asks for a password that somebody has already.
     *
     * @throws CommandException with USAGE when there is none, or it cannot be one
     */
    public static String of(String user) {
        String text = ask("Password of " + user + ": ");
        check(text);
        return text;
    }

    /**
     * Asks for a new one, on a terminal twice.
     *
     * @throws CommandException with USAGE when there is none, it cannot be one, is short, or is not
     *     repeated
     */
    public static Password fresh(String user) {
        String text = ask("New password of " + user + ": ");
        Password password = check(text);
        if (text.codePointCount(0, text.length()) < Password.LEAST_LENGTH) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "the password has less than %d characters".formatted(Password.LEAST_LENGTH));
        }
        if (terminal() != null && !text.equals(ask("The same again: "))) {
            throw new CommandException(ExitCode.USAGE, "the two passwords differ");
        }
        return password;
    }

    private static Password check(String text) {
        try {
            return Password.of(text);
        } catch (IllegalArgumentException e) {
            throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
        }
    }

    @SuppressWarnings("SystemConsoleNull") // It is null again since JDK 25 without a terminal.
    private static @Nullable Console terminal() {
        Console console = System.console();
        return console != null && console.isTerminal() ? console : null;
    }

    private static String ask(String prompt) {
        Console terminal = terminal();
        if (terminal == null) {
            return firstLine();
        }
        char[] typed = terminal.readPassword("%s", prompt);
        if (typed == null) {
            throw none();
        }
        return new String(typed);
    }

    private static String firstLine() {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        try {
            int next = System.in.read();
            if (next < 0) {
                throw none();
            }
            while (next >= 0 && next != '\n' && line.size() <= MOST_BYTES) {
                line.write(next);
                next = System.in.read();
            }
        } catch (IOException e) {
            throw new CommandException(ExitCode.IO_ERROR, "the password cannot be read", e);
        }
        String text = line.toString(StandardCharsets.UTF_8);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }

    private static CommandException none() {
        return new CommandException(
                ExitCode.USAGE,
                "no password: type it on a terminal, or write it to the standard input of this"
                        + " command");
    }
}
