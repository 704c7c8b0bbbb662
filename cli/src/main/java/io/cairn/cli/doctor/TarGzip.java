package io.cairn.cli.doctor;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;

/**
 * A new compressed archive of small files, readable by its owner only. The format is POSIX ustar:
 * for each file a header of 512 bytes, then the contents filled up to a multiple of 512 bytes; two
 * blocks of zeros end it.
 *
 * <pre>
 *   0  name      100     124  size   12 (octal)     257  "ustar" 0 "00"   8
 * 100  mode        8     136  mtime  12 (octal)     265  owner           32
 * 108  uid, gid  8 8     148  sum     8 (octal)     297  group           32
 *                        156  type    1 ('0')
 * </pre>
 *
 * Not thread-safe.
 */
final class TarGzip implements AutoCloseable {
    private static final int BLOCK_BYTES = 512;
    private static final int NAME_BYTES = 100;
    private static final int SUM_AT = 148;

    private final OutputStream out;
    private final long modifiedS;

    /**
     * Makes the file.
     *
     * @param modifiedS the time of all files in it, seconds since the epoch
     * @throws java.nio.file.FileAlreadyExistsException when there is one
     */
    TarGzip(Path file, long modifiedS) throws IOException {
        this.modifiedS = modifiedS;
        Files.createFile(
                file,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        out =
                new GZIPOutputStream(
                        new BufferedOutputStream(
                                Files.newOutputStream(file, StandardOpenOption.WRITE)));
    }

    /**
     * Adds a file.
     *
     * @param name at most 100 bytes of ASCII
     */
    void add(String name, byte[] contents) throws IOException {
        byte[] header = new byte[BLOCK_BYTES];
        if (name.length() > NAME_BYTES) {
            throw new IllegalArgumentException("the name is too long for the archive: " + name);
        }
        put(header, 0, name);
        put(header, 100, "0000600");
        put(header, 108, "0000000");
        put(header, 116, "0000000");
        put(header, 124, String.format(Locale.ROOT, "%011o", contents.length));
        put(header, 136, String.format(Locale.ROOT, "%011o", modifiedS));
        put(header, SUM_AT, "        ");
        header[156] = '0';
        put(header, 257, "ustar\0" + "00");
        put(header, 265, "root");
        put(header, 297, "root");
        int sum = 0;
        for (byte each : header) {
            sum += each & 0xff;
        }
        put(header, SUM_AT, String.format(Locale.ROOT, "%06o\0 ", sum));
        out.write(header);
        out.write(contents);
        out.write(new byte[(BLOCK_BYTES - contents.length % BLOCK_BYTES) % BLOCK_BYTES]);
    }

    private static void put(byte[] header, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, header, at, bytes.length);
    }

    @Override
    public void close() throws IOException {
        out.write(new byte[2 * BLOCK_BYTES]);
        out.close();
    }
}
