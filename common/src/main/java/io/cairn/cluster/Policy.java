package io.cairn.cluster;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Wishes of a directory (or file) for the layout of new contents; files and directories made in a
 * directory inherit its policy. A zero or negative field means "as the parent at that time / the
 * cluster's standard".
 *
 * @param replicas copies, 1..15; 0 = the cluster's standard
 * @param chunkSizeLog2 16..26; 0 = {@link Layout#STANDARD_CHUNK_SIZE_LOG2}
 * @param stripeWidth placement groups in turn, 0 = all; -1 = the cluster's standard (all)
 * @param compression how chunks that rest are packed; UNSAID = they are not
 * @param inlineBytes contents up to it may be in the inode, in bytes: 0 for none, or a power of two
 *     from {@link #MIN_INLINE_BYTES} to {@link #MAX_INLINE_BYTES}; -1 = the cluster's standard
 * @param labels of the chunk servers that may have copies; UNSAID = any
 * @param key number of the key that encrypts the chunks at rest; 0 = as the parent, or none; {@link
 *     #NO_KEY} = none, whatever the parent says
 */
public record Policy(
        int replicas,
        int chunkSizeLog2,
        int stripeWidth,
        Compression compression,
        int inlineBytes,
        Labels.Expression labels,
        int key) {
    /** Ways to keep chunks that are not changed for some time. Codes are in messages and files. */
    public enum Compression implements Coded {
        /** As the parent, or else not packed. No pool is so. */
        UNSAID(0),
        /** As they were written. */
        NONE(1),
        /** Packed with LZ4. */
        LZ4(2),
        /** Packed with Zstandard. */
        ZSTD(3);

        /** All by their codes. */
        public static final CodeTable<Compression> CODES = new CodeTable<>(values());

        private final int code;

        Compression(int code) {
            this.code = code;
        }

        @Override
        public int code() {
            return code;
        }

        /** This one, or NONE when nothing is said. */
        public Compression orNone() {
            return this == UNSAID ? NONE : this;
        }

        /** What it is called in commands and documents. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** The same; null when nothing is said. */
        public @Nullable String said() {
            return this == UNSAID ? null : text();
        }

        /** What they are called that one can ask for. */
        public static List<String> texts() {
            return List.of(NONE.text(), LZ4.text(), ZSTD.text());
        }

        /** The one that is called so; UNSAID for null. It has to be one of {@link #texts}. */
        public static Compression of(@Nullable String text) {
            return text == null ? UNSAID : valueOf(text.toUpperCase(Locale.ROOT));
        }
    }

    /** Stands for chunks that are not encrypted although those of the parent may be. */
    public static final int NO_KEY = -1;

    /** Stands for a limit of contents in the inode that nobody said. */
    public static final int UNSAID_INLINE = -1;

    /** Smallest limit of contents in the inode besides 0, in bytes. */
    public static final int MIN_INLINE_BYTES = 512;

    /** Largest limit of contents in the inode, in bytes. */
    public static final int MAX_INLINE_BYTES = 16 << 10;

    /** Binary logarithm of the largest chunks that are packed: 16 MiB. */
    private static final int MAX_PACKED_LOG2 = 24;

    /** Asks for nothing in particular. */
    public static final Policy STANDARD = new Policy(0, 0, -1);

    /** One that says how many copies and in which pieces, and nothing else. */
    public Policy(int replicas, int chunkSizeLog2, int stripeWidth) {
        this(
                replicas,
                chunkSizeLog2,
                stripeWidth,
                Compression.UNSAID,
                UNSAID_INLINE,
                Labels.Expression.UNSAID);
    }

    /** One without a key. */
    public Policy(
            int replicas,
            int chunkSizeLog2,
            int stripeWidth,
            Compression compression,
            int inlineBytes,
            Labels.Expression labels) {
        this(replicas, chunkSizeLog2, stripeWidth, compression, inlineBytes, labels, 0);
    }

    /** The same with another compression. */
    public Policy with(Compression wanted) {
        return new Policy(replicas, chunkSizeLog2, stripeWidth, wanted, inlineBytes, labels, key);
    }

    /** The same with another limit of contents in the inode, in bytes. */
    public Policy withInline(int wantedBytes) {
        return new Policy(
                replicas, chunkSizeLog2, stripeWidth, compression, wantedBytes, labels, key);
    }

    /** The same with other labels. */
    public Policy with(Labels.Expression wanted) {
        return new Policy(
                replicas, chunkSizeLog2, stripeWidth, compression, inlineBytes, wanted, key);
    }

    /** The same with another key, or {@link #NO_KEY}; 0 = it does not say. */
    public Policy withKey(int number) {
        return new Policy(
                replicas, chunkSizeLog2, stripeWidth, compression, inlineBytes, labels, number);
    }

    /** Name of the cipher for chunks on the disks; null when they are not encrypted. */
    public @Nullable String cipher() {
        return kind().cipher();
    }

    /** Which pools it asks for, besides their copies. */
    public Pool.Kind kind() {
        return new Pool.Kind(compression.orNone(), labels.orAny(), Math.max(0, key));
    }

    /** Largest number of replicas. */
    public static final int MAX_REPLICAS = 15;

    /** Whether a limit of contents in the inode is one that can be asked for, in bytes. */
    public static boolean isInlineLimit(long bytes) {
        return bytes == 0
                || (bytes >= MIN_INLINE_BYTES
                        && bytes <= MAX_INLINE_BYTES
                        && Long.bitCount(bytes) == 1);
    }

    /**
     * Up to which size contents of new and changed files may be in the inode, in bytes: none of
     * files that are encrypted at rest.
     *
     * @param standardBytes where nothing is said
     */
    public int inlineLimitBytes(int standardBytes) {
        return key > 0 ? 0 : inlineBytes >= 0 ? inlineBytes : standardBytes;
    }

    /**
     * Up to which size masters take what a client writes into the inode, in bytes. Clients keep to
     * the policy. One that has not heard of its change is not refused, but for what is encrypted.
     *
     * @param standardBytes where nothing is said
     * @param presentBytes what is in the inode
     */
    public int mostInlineBytes(int standardBytes, int presentBytes) {
        return key > 0 ? 0 : Math.max(presentBytes, Math.max(standardBytes, inlineBytes));
    }

    /** Whether chunks would be packed that take longer to unpack than a change may wait. */
    public boolean packsLargeChunks() {
        return compression.orNone() != Compression.NONE && chunkSizeLog2 > MAX_PACKED_LOG2;
    }

    /** Whether all fields are within their ranges. */
    public boolean isPossible() {
        boolean chunkSizeIsPossible =
                chunkSizeLog2 == 0
                        || (chunkSizeLog2 >= Layout.MIN_CHUNK_SIZE_LOG2
                                && chunkSizeLog2 <= Layout.MAX_CHUNK_SIZE_LOG2);
        return replicas >= 0
                && replicas <= MAX_REPLICAS
                && chunkSizeIsPossible
                && stripeWidth >= -1
                && (inlineBytes == UNSAID_INLINE || isInlineLimit(inlineBytes))
                && key >= NO_KEY;
    }

    /**
     * This policy where it says something, else {@code parent}. Who asks for no key gets a policy
     * that does not say one, as of files that never had any.
     */
    public Policy orElse(Policy parent) {
        return new Policy(
                replicas > 0 ? replicas : parent.replicas,
                chunkSizeLog2 > 0 ? chunkSizeLog2 : parent.chunkSizeLog2,
                stripeWidth >= 0 ? stripeWidth : parent.stripeWidth,
                compression != Compression.UNSAID ? compression : parent.compression,
                inlineBytes >= 0 ? inlineBytes : parent.inlineBytes,
                labels.isSaid() ? labels : parent.labels,
                Math.max(0, key != 0 ? key : parent.key));
    }

    /**
     * A named policy that directories refer to. What it does not say is as without it.
     *
     * @param name 1 to {@value #MAX_NAME_CHARS} of a-z, 0-9, dot, dash and underscore; begins with
     *     a letter or a digit
     * @param policy what new files below such a directory ask for; comes before the policies of the
     *     directories
     * @param trashSeconds how long removed files are kept; 0 not at all, {@link #UNSAID} when it
     *     does not say
     */
    public record StorageClass(String name, Policy policy, long trashSeconds) {
        public static final int MAX_NAME_CHARS = 64;

        /** Stands for a time that the class does not say. */
        public static final long UNSAID = -1;

        /** Whether a class may be called so. */
        public static boolean isName(String text) {
            return text.matches("[a-z0-9][a-z0-9._-]{0," + (MAX_NAME_CHARS - 1) + "}");
        }
    }

    /**
     * Chooses the class of new files, before their directories do. A file has to be as all of it
     * says.
     *
     * @param id number, from 1; 0 while the masters have not given one
     * @param className the class
     * @param pattern for the whole name, such as {@code *.mp4}; empty: any name
     * @param uid the owner, or {@link #ANY}
     * @param gid the group, or {@link #ANY}
     * @param below a directory that the file is in, or below; or {@link #EVERYWHERE}
     */
    public record ClassRule(
            int id, String className, String pattern, int uid, int gid, long below) {
        /** Any owner, any group. */
        public static final int ANY = -1;

        /** Stands for no directory in particular. */
        public static final long EVERYWHERE = 0;

        /** The same with a number. */
        public ClassRule withId(int number) {
            return new ClassRule(number, className, pattern, uid, gid, below);
        }

        /** Whether it is about some files only, whatever their directory. */
        public boolean saysSomething() {
            return !pattern.isEmpty() || uid != ANY || gid != ANY;
        }

        /** As people write it, with the path of the directory. */
        public String text(String directory) {
            return (id == 0 ? "" : "rule " + id + ": ")
                    + className
                    + (pattern.isEmpty() ? "" : " --name '" + pattern + "'")
                    + (uid == ANY ? "" : " --owner " + Integer.toUnsignedLong(uid))
                    + (gid == ANY ? "" : " --group " + Integer.toUnsignedLong(gid))
                    + (below == EVERYWHERE ? "" : " --below " + directory);
        }

        /** Whether two rules hold for the same files. */
        public boolean isAboutTheSame(ClassRule other) {
            return withId(0)
                    .equals(
                            new ClassRule(
                                    0,
                                    className,
                                    other.pattern,
                                    other.uid,
                                    other.gid,
                                    other.below));
        }
    }
}
