package io.cairn.metadata.classes;

import io.cairn.cluster.Policy.StorageClass;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.wire.Encoder;
import io.cairn.wire.master.JobMutation.ClassMutation;
import java.nio.charset.StandardCharsets;

/** The records of storage classes; {@link Keys} is the legend. */
final class ClassKeys {
    private static final byte[] CLASSES = "class/".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] DIRECTORIES = "classed/".getBytes(StandardCharsets.US_ASCII);

    private static final byte[] RULES = "class-rules".getBytes(StandardCharsets.US_ASCII);

    private ClassKeys() {}

    /** The key of all rules. */
    static byte[] rules() {
        return RULES.clone();
    }

    /** The prefix of the keys of all classes. */
    static byte[] all() {
        return CLASSES.clone();
    }

    /** The key of a class. */
    static byte[] of(String name) {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        return new Encoder(CLASSES.length + text.length)
                .raw(CLASSES, 0, CLASSES.length)
                .raw(text, 0, text.length)
                .toBytes();
    }

    /** The prefix of the keys of all directories that refer to a class. */
    static byte[] directories() {
        return DIRECTORIES.clone();
    }

    /** The key of the name of the class that a directory refers to. */
    static byte[] directory(long ino) {
        return new Encoder(DIRECTORIES.length + Long.BYTES)
                .raw(DIRECTORIES, 0, DIRECTORIES.length)
                .i64(ino)
                .toBytes();
    }

    /** The directory in such a key. */
    static long inoOf(byte[] key) {
        return Keys.numberAt(key, DIRECTORIES.length);
    }

    static byte[] encode(StorageClass storageClass) {
        Encoder out = Keys.value(32);
        ClassMutation.writeClass(out, storageClass);
        return out.toBytes();
    }

    static StorageClass decode(byte[] value) {
        return ClassMutation.readClass(Keys.open(Family.META, value));
    }

    static byte[] encode(RuleList rules) {
        Encoder out = Keys.value(64);
        rules.encode(out);
        return out.toBytes();
    }

    static RuleList decodeRules(byte[] value) {
        return RuleList.decode(Keys.open(Family.META, value));
    }

    static byte[] encodeName(String name) {
        return Keys.value(16).text(name).toBytes();
    }

    static String decodeName(byte[] value) {
        return Keys.open(Family.META, value).text();
    }
}
