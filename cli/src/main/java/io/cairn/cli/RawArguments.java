package io.cairn.cli;

import io.cairn.cli.api.ByteText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The arguments of this process as they were given. Java decodes them by the locale and loses what
 * is not text there: bytes that are not UTF-8, and in the locale C everything beyond ASCII. Linux
 * still has them.
 */
final class RawArguments {
    private static final Path COMMAND_LINE = Path.of("/proc/self/cmdline");

    private RawArguments() {}

    /** The same arguments, as {@link ByteText} where Java may have lost something. */
    static String[] of(String[] decoded) {
        if (Arrays.stream(decoded).allMatch(RawArguments::isCertain)) {
            return decoded;
        }
        try {
            return of(decoded, Files.readAllBytes(COMMAND_LINE));
        } catch (IOException e) {
            return decoded;
        }
    }

    /** Java puts U+FFFD, or a question mark, in the place of bytes that it cannot decode. */
    private static boolean isCertain(String argument) {
        return argument.chars().allMatch(c -> c < 0x80 && c != '?');
    }

    /**
     * The last ones of a command line.
     *
     * @param commandLine arguments that end with a zero byte each
     */
    static String[] of(String[] decoded, byte[] commandLine) {
        List<String> all = new ArrayList<>();
        int begin = 0;
        for (int i = 0; i < commandLine.length; i++) {
            if (commandLine[i] == 0) {
                all.add(ByteText.of(Arrays.copyOfRange(commandLine, begin, i)));
                begin = i + 1;
            }
        }
        if (all.size() < decoded.length) {
            return decoded;
        }
        String[] given =
                all.subList(all.size() - decoded.length, all.size()).toArray(String[]::new);
        for (int i = 0; i < given.length; i++) {
            if (isCertain(decoded[i]) && !decoded[i].equals(given[i])) {
                return decoded; // Not the command line of these arguments.
            }
        }
        return given;
    }
}
