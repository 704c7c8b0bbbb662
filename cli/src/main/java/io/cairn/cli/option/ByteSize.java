package io.cairn.cli.option;

import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.util.Locale;

/** Sizes as people write and read them: binary units, {@code 4M} = 4 MiB. */
public final class ByteSize {
    private static final String UNITS = "KMGTPE";

    private ByteSize() {}

    /** Parses a number with an optional unit K, M, G, T (also KiB, MiB ...); fails with USAGE. */
    public static long parse(String text) {
        String number = text.strip().toUpperCase(Locale.ROOT).replaceFirst("I?B$", "");
        int shift = 0;
        if (!number.isEmpty()) {
            int unit = UNITS.indexOf(number.charAt(number.length() - 1));
            if (unit >= 0) {
                shift = 10 * (unit + 1);
                number = number.substring(0, number.length() - 1);
            }
        }
        try {
            long value = Long.parseLong(number.strip());
            if (value >= 0 && (value << shift) >> shift == value) {
                return value << shift;
            }
        } catch (NumberFormatException e) {
            throw new CommandException(
                    ExitCode.USAGE, "'" + text + "' is not a size such as 65536, 64K or 4M", e);
        }
        throw new CommandException(ExitCode.USAGE, "size '" + text + "' is out of range");
    }
}
