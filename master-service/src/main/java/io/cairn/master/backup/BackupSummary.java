package io.cairn.master.backup;

import java.util.HexFormat;

/**
 * The outcome of writing a backup, or of reading one to its end.
 *
 * @param records keys with their values
 * @param bytes length of the file
 * @param sha256 of all bytes before the last block, which holds it
 */
public record BackupSummary(BackupHead head, long records, long bytes, byte[] sha256) {
    /** The checksum in hexadecimal digits. */
    public String sha256Text() {
        return HexFormat.of().formatHex(sha256);
    }
}
