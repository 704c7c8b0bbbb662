package io.cairn.cli.api;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Where output goes: how wide it is, and whether somebody sees it at once.
 *
 * @param columns how many characters fit into a line
 * @param isTerminal whether output goes to a terminal
 * @param ellipsis stands where text was left out
 */
public record Screen(int columns, boolean isTerminal, String ellipsis) {
    private static final int UNLIMITED = 1 << 20;
    private static final int LEAST_COLUMNS = 20;
    private static final long STTY_LIMIT_S = 2;

    /**
     * The output of this process: as wide as COLUMNS says, else as the terminal, else without
     * limit.
     */
    public static Screen of(Map<String, String> environment) {
        boolean isTerminal = isTerminal(1);
        String ellipsis = System.out.charset().newEncoder().canEncode('\u2026') ? "\u2026" : "~";
        int told = number(environment.getOrDefault("COLUMNS", ""));
        int columns = told > 0 ? told : isTerminal ? ofTerminal() : UNLIMITED;
        return new Screen(Math.max(LEAST_COLUMNS, columns), isTerminal, ellipsis);
    }

    /** Whether a file descriptor of this process is a terminal. */
    public static boolean isTerminal(int descriptor) {
        try {
            String file = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
            return file.startsWith("/dev/pts/")
                    || file.startsWith("/dev/tty")
                    || file.equals("/dev/console");
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether nothing tells how wide it is. */
    public boolean isUnlimited() {
        return columns == UNLIMITED;
    }

    private static int number(String text) {
        return text.matches("[1-9][0-9]{0,4}") ? Integer.parseInt(text) : 0;
    }

    private static int ofTerminal() {
        try {
            Process stty =
                    new ProcessBuilder("stty", "size")
                            .redirectInput(new File("/dev/tty"))
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            if (stty.waitFor(STTY_LIMIT_S, TimeUnit.SECONDS)) {
                String size =
                        new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
                int columns = number(size.strip().replaceFirst("^.* ", ""));
                return columns > 0 ? columns : UNLIMITED;
            }
            stty.destroyForcibly();
        } catch (IOException e) {
            return UNLIMITED;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return UNLIMITED;
    }

    /** Text of at most so many characters; what is left out is an ellipsis. */
    public String cut(String text, int most) {
        if (text.codePointCount(0, text.length()) <= most) {
            return text;
        }
        int end = text.offsetByCodePoints(0, Math.max(0, most - 1));
        return text.substring(0, end) + ellipsis;
    }
}
