package io.cairn.base;

import java.io.EOFException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.ReadOnlyFileSystemException;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;

/**
 * Words for people: why something failed, in what the exceptions of the JDK say without the names
 * of their classes; and nouns behind numbers.
 */
public final class Wording {
    /** {@code java.net.ConnectException: Connection refused}, as wrapping exceptions say. */
    private static final String BINARY_UNITS = "KMGTPE";

    private static final Pattern CLASS_NAME =
            Pattern.compile("\\b(?:[a-z][a-z0-9]*\\.)+[A-Z]\\w*(?:Exception|Error)(?:: )?");

    private Wording() {}

    /**
     * The reason in a few words, without a full stop; one line, never empty. The reasons of files
     * do not repeat the file.
     */
    public static String of(Throwable error) {
        return switch (error) {
            case CompletionException e when e.getCause() != null -> of(e.getCause());
            case ExecutionException e when e.getCause() != null -> of(e.getCause());
            case UncheckedIOException e when e.getCause() != null -> of(e.getCause());
            case ConnectException _ -> "connection refused";
            case HttpTimeoutException _ -> "no answer in time";
            case SocketTimeoutException _ -> "no answer in time";
            case UnknownHostException e -> "host " + e.getMessage() + " is not known";
            case EOFException _ -> "it ends too early";
            case ReadOnlyFileSystemException _ -> "read-only file system";
            case FileSystemException e -> ofFile(e);
            default -> text(error);
        };
    }

    /** A message without the names of exceptions in it. */
    public static String plain(String message) {
        return CLASS_NAME.matcher(message).replaceAll("").strip();
    }

    /** A number with its noun: {@code 1 copy}, {@code 2 copies}. */
    public static String count(long number, String one) {
        return number + " " + noun(number, one);
    }

    /** A size in three significant digits with a binary unit: {@code 25.3 GiB}. */
    public static String bytes(long bytes) {
        if (bytes < 1024) {
            return bytes + " B";
        }
        double value = bytes;
        int unit = -1;
        while (value >= 1024 && unit < BINARY_UNITS.length() - 1) {
            value /= 1024;
            unit++;
        }
        String digits = value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f";
        return String.format(Locale.ROOT, digits + " %ciB", value, BINARY_UNITS.charAt(unit));
    }

    /** The form of an English noun that goes with a number, for nouns that follow the rules. */
    public static String noun(long number, String one) {
        if (number == 1) {
            return one;
        }
        if (one.endsWith("y") && "aeiou".indexOf(one.charAt(one.length() - 2)) < 0) {
            return one.substring(0, one.length() - 1) + "ies";
        }
        return one + "s";
    }

    private static String ofFile(FileSystemException error) {
        String reason = error.getReason();
        if (reason != null && !reason.isBlank()) {
            return reason.strip();
        }
        return switch (error) {
            case NoSuchFileException _ -> "no such file or directory";
            case AccessDeniedException _ -> "permission denied";
            case NotDirectoryException _ -> "not a directory";
            case FileAlreadyExistsException _ -> "it exists already";
            case DirectoryNotEmptyException _ -> "directory not empty";
            default -> "the file system refused it";
        };
    }

    private static String text(Throwable error) {
        String message = error.getMessage() == null ? "" : error.getMessage();
        String line = plain(message.lines().findFirst().orElse(""));
        return line.isEmpty() ? "no reason was given" : line;
    }
}
