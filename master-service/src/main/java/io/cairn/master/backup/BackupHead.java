package io.cairn.master.backup;

import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;

/**
 * The first words of a backup.
 *
 * @param clusterId whose state it is
 * @param term of the last log entry in it
 * @param index of the last log entry in it
 * @param takenMs wall time when it was begun, in milliseconds since 1970
 * @param level protocol version that a master must understand to go on with it
 * @param release that wrote it
 */
public record BackupHead(
        long clusterId, long term, long index, long takenMs, int level, String release) {
    static final long MAGIC = 0x434149524e42414bL; // "CAIRNBAK"

    /** Version of the file's layout. */
    static final int VERSION = 1;

    /** Fields are never longer. */
    static final int MAX_BYTES = 4096;

    byte[] fields() {
        return new Encoder()
                .i64(clusterId)
                .i64(term)
                .i64(index)
                .i64(takenMs)
                .i32(level)
                .text(release)
                .toBytes();
    }

    static BackupHead decode(byte[] fields) {
        Decoder in = new Decoder(fields);
        return new BackupHead(in.i64(), in.i64(), in.i64(), in.i64(), in.i32(), in.text());
    }
}
