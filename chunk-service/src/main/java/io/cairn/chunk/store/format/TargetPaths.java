package io.cairn.chunk.store.format;

import java.nio.file.Path;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The names of all files of a target:
 *
 * <pre>
 * FORMAT                       what this directory is
 * LOCK                         locked while a process has the target open
 * intents                      blobs that may differ from their last sync
 * starts                       which processes had the target
 * direct                       socket at which clients of this machine get open files
 * scrub                        how far all blobs have been verified
 * keys                         wrapped keys of blobs that are encrypted
 * ledger/GROUP                 which blobs must be there, and of which write at least
 * pg/GROUP/XX/OID.0            the blob of chunk 0 of an object; XX is the low byte of the oid
 * pg/GROUP/XX/OID.d/INDEX      the other chunks
 * incoming/                    replacements that are being built; emptied at the start
 * quarantine/                  bad files that were replaced: the first 64, for people to look at
 * </pre>
 *
 * GROUP and INDEX are decimal, OID is 16 hexadecimal digits. Immutable.
 */
public record TargetPaths(Path root) {
    private static final HexFormat HEX = HexFormat.of();
    private static final int OID_DIGITS = 16;
    private static final String FIRST_SUFFIX = ".0";
    private static final String DIRECTORY_SUFFIX = ".d";

    public Path format() {
        return root.resolve("FORMAT");
    }

    Path newFormat() {
        return root.resolve("FORMAT.new");
    }

    public Path lock() {
        return root.resolve("LOCK");
    }

    public Path intents() {
        return root.resolve("intents");
    }

    public Path newIntents() {
        return root.resolve("intents.new");
    }

    public Path starts() {
        return root.resolve("starts");
    }

    /** The socket at which clients of this machine get open files. */
    public Path direct() {
        return root.resolve("direct");
    }

    public Path scrub() {
        return root.resolve("scrub");
    }

    public Path newScrub() {
        return root.resolve("scrub.new");
    }

    /** The wrapped keys of its encrypted blobs. */
    public Path keys() {
        return root.resolve("keys");
    }

    public Path newKeys() {
        return root.resolve("keys.new");
    }

    public Path ledger() {
        return root.resolve("ledger");
    }

    public Path ledger(int group) {
        return ledger().resolve(Integer.toString(group));
    }

    public Path groups() {
        return root.resolve("pg");
    }

    public Path incoming() {
        return root.resolve("incoming");
    }

    public Path quarantine() {
        return root.resolve("quarantine");
    }

    public Path group(int group) {
        return groups().resolve(Integer.toString(group));
    }

    /** The directory of all objects of a group with a certain low byte. */
    public Path slice(int group, int lowByte) {
        return group(group).resolve(HEX.toHexDigits((byte) lowByte));
    }

    public Path slice(BlobKey key) {
        return slice(key.group(), (int) key.oid() & 0xff);
    }

    /** The directory of the chunks of an object from index 1 on. */
    public Path objectDirectory(int group, long oid) {
        return slice(group, (int) oid & 0xff).resolve(HEX.toHexDigits(oid) + DIRECTORY_SUFFIX);
    }

    public Path blob(BlobKey key) {
        return key.index() == 0
                ? slice(key).resolve(HEX.toHexDigits(key.oid()) + FIRST_SUFFIX)
                : objectDirectory(key.group(), key.oid()).resolve(Long.toString(key.index()));
    }

    /** The directory that a blob's file lies in. */
    public Path directory(BlobKey key) {
        return key.index() == 0 ? slice(key) : objectDirectory(key.group(), key.oid());
    }

    public Path incoming(BlobKey key) {
        return incoming().resolve(flatName(key));
    }

    /** Where a blob is packed or made plain: beside what peers send of it. */
    public Path repacked(BlobKey key) {
        return incoming().resolve(flatName(key) + "-repacked");
    }

    public Path quarantined(BlobKey key, int attempt) {
        return quarantine().resolve(flatName(key) + "-" + attempt);
    }

    private static String flatName(BlobKey key) {
        return key.group() + "-" + HEX.toHexDigits(key.oid()) + "-" + key.index();
    }

    /** The object of the name {@code OID.0} of a first blob; null for other names. */
    public static @Nullable Long oidOfFirst(String name) {
        return oidOf(name, FIRST_SUFFIX);
    }

    /** The object of the name {@code OID.d} of a directory; null for other names. */
    public static @Nullable Long oidOfDirectory(String name) {
        return oidOf(name, DIRECTORY_SUFFIX);
    }

    private static @Nullable Long oidOf(String name, String suffix) {
        if (name.length() != OID_DIGITS + suffix.length() || !name.endsWith(suffix)) {
            return null;
        }
        for (int i = 0; i < OID_DIGITS; i++) {
            if (!HexFormat.isHexDigit(name.charAt(i))) {
                return null;
            }
        }
        return HexFormat.fromHexDigitsToLong(name, 0, OID_DIGITS);
    }
}
