package io.cairn.nfs.export;

/**
 * The largest READ and WRITE that a client is told of. Immutable.
 *
 * @param readBytes a multiple of 4096 from 4096 to 1 MiB
 * @param writeBytes a multiple of 4096 from 4096 to 1 MiB
 */
public record TransferSizes(int readBytes, int writeBytes) {
    /** As much as a gateway takes. */
    public static final TransferSizes STANDARD = new TransferSizes(1 << 20, 1 << 20);

    private static final int UNIT_BYTES = 4096;

    /** Checks a size; IllegalArgumentException with a sentence that names it. */
    static int check(String option, int bytes) {
        if (bytes < UNIT_BYTES || bytes > STANDARD.readBytes || bytes % UNIT_BYTES != 0) {
            throw new IllegalArgumentException(
                    "'" + option + "' is not a multiple of 4096 from 4096 to 1048576");
        }
        return bytes;
    }
}
