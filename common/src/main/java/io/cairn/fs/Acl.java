package io.cairn.fs;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A POSIX access control list (POSIX.1e draft 17, acl(5)): who may what besides owner, group and
 * others. Always valid: one entry each for the owner, the group and others, a mask when there are
 * named users or groups, nobody named twice, in the order of acl(5). Immutable.
 *
 * @param entries in their order
 */
public record Acl(List<Entry> entries) {
    /** The attribute of the list that permissions are checked with. */
    public static final String ACCESS_ATTRIBUTE = "system.posix_acl_access";

    /** The attribute of the list that what is made in a directory inherits. */
    public static final String DEFAULT_ATTRIBUTE = "system.posix_acl_default";

    /** Entries of one list. */
    public static final int MAX_ENTRIES = 256;

    private static final int VERSION = 2;
    private static final int HEAD_BYTES = 4;
    private static final int ENTRY_BYTES = 8;
    private static final int ALL = 7;

    /** Whom an entry is about; the codes are those of the Linux attributes and of NFSACL. */
    public enum Tag implements Coded {
        OWNER(1),
        USER(2),
        GROUP(4),
        NAMED_GROUP(8),
        MASK(16),
        OTHER(32);

        /** All by their codes. */
        public static final CodeTable<Tag> CODES = new CodeTable<>(values());

        private final int code;

        Tag(int code) {
            this.code = code;
        }

        /** Number in attributes and in NFSACL. */
        @Override
        public int code() {
            return code;
        }

        boolean isNamed() {
            return this == USER || this == NAMED_GROUP;
        }
    }

    /**
     * The rights of one party.
     *
     * @param bits {@code ACCESS_} bits of {@link FileSystem}: 0..7
     * @param id number of the user or group for named ones, else 0
     */
    public record Entry(Tag tag, int bits, int id) {}

    /**
     * A list of entries in any order.
     *
     * @throws FsException EINVAL when they are no valid list
     */
    public static Acl of(List<Entry> entries) {
        List<Entry> sorted = new ArrayList<>(entries);
        sorted.sort(
                Comparator.comparing(Entry::tag)
                        .thenComparing(Entry::id, Integer::compareUnsigned));
        Map<Tag, Integer> counts = new EnumMap<>(Tag.class);
        Entry last = null;
        for (Entry entry : sorted) {
            counts.merge(entry.tag, 1, Integer::sum);
            boolean twice = last != null && last.tag == entry.tag && last.id == entry.id;
            if (twice || (entry.bits & ~ALL) != 0 || !entry.tag.isNamed() && entry.id != 0) {
                throw new FsException(Errno.EINVAL, "an ACL with the entry " + entry);
            }
            last = entry;
        }
        boolean named = counts.containsKey(Tag.USER) || counts.containsKey(Tag.NAMED_GROUP);
        int masks = counts.getOrDefault(Tag.MASK, 0);
        if (sorted.size() > MAX_ENTRIES
                || counts.getOrDefault(Tag.OWNER, 0) != 1
                || counts.getOrDefault(Tag.GROUP, 0) != 1
                || counts.getOrDefault(Tag.OTHER, 0) != 1
                || masks > 1
                || (named && masks == 0)) {
            throw new FsException(Errno.EINVAL, "no ACL: " + entries.size() + " entries");
        }
        return new Acl(List.copyOf(sorted));
    }

    /** The list that says the same as permission bits. */
    public static Acl ofMode(int mode) {
        return new Acl(
                List.of(
                        new Entry(Tag.OWNER, mode >> 6 & ALL, 0),
                        new Entry(Tag.GROUP, mode >> 3 & ALL, 0),
                        new Entry(Tag.OTHER, mode & ALL, 0)));
    }

    /**
     * Reads the value of a Linux attribute (linux/posix_acl_xattr.h), little-endian:
     *
     * <pre>
     * +-----------+-------+--------+------+-----
     * | version 2 |  tag  | bits   |  id  | ...
     * |     4     |   2   |   2    |  4   |
     * +-----------+-------+--------+------+-----
     * </pre>
     *
     * @return null for a list without entries, which stands for none
     * @throws FsException EINVAL, EOPNOTSUPP for another version
     */
    public static @Nullable Acl parse(byte[] value) {
        if (value.length < HEAD_BYTES || (value.length - HEAD_BYTES) % ENTRY_BYTES != 0) {
            throw new FsException(Errno.EINVAL, "an ACL of " + value.length + " bytes");
        }
        ByteBuffer in = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
        int version = in.getInt();
        if (version != VERSION) {
            throw new FsException(Errno.EOPNOTSUPP, "an ACL of version " + version);
        }
        List<Entry> entries = new ArrayList<>();
        while (in.hasRemaining()) {
            Tag tag = Tag.CODES.find(in.getShort());
            int bits = in.getShort();
            int id = in.getInt();
            if (tag == null) {
                throw new FsException(Errno.EINVAL, "an ACL with an unknown entry");
            }
            entries.add(new Entry(tag, bits, tag.isNamed() ? id : 0));
        }
        return entries.isEmpty() ? null : of(entries);
    }

    /** The value of the Linux attribute. */
    public byte[] toBytes() {
        ByteBuffer out =
                ByteBuffer.allocate(HEAD_BYTES + ENTRY_BYTES * entries.size())
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(VERSION);
        for (Entry entry : entries) {
            int id = entry.tag.isNamed() ? entry.id : -1;
            out.putShort((short) entry.tag.code).putShort((short) entry.bits).putInt(id);
        }
        return out.array();
    }

    /** Whether permission bits say all of it. */
    public boolean isMode() {
        return entries.size() == 3;
    }

    /** The permission bits that go with it, 0..0777: the mask, if there is one, is the group's. */
    public int modeBits() {
        return bits(Tag.OWNER) << 6 | groupClass() << 3 | bits(Tag.OTHER);
    }

    private int groupClass() {
        return entries.stream()
                .filter(entry -> entry.tag == Tag.MASK)
                .findFirst()
                .map(Entry::bits)
                .orElseGet(() -> bits(Tag.GROUP));
    }

    private int bits(Tag tag) {
        for (Entry entry : entries) {
            if (entry.tag == tag) {
                return entry.bits;
            }
        }
        return 0;
    }

    /** After chmod(2): owner, mask (without one: group) and others as in the mode. */
    public Acl withMode(int mode) {
        boolean masked = entries.stream().anyMatch(entry -> entry.tag == Tag.MASK);
        Tag group = masked ? Tag.MASK : Tag.GROUP;
        List<Entry> changed = new ArrayList<>(entries.size());
        for (Entry entry : entries) {
            int shift = entry.tag == Tag.OWNER ? 6 : entry.tag == group ? 3 : 0;
            boolean same = shift == 0 && entry.tag != Tag.OTHER;
            int bits = same ? entry.bits : mode >> shift & ALL;
            changed.add(new Entry(entry.tag, bits, entry.id));
        }
        return new Acl(List.copyOf(changed));
    }

    /** The list that a new inode inherits with its mode: at most what the mode allows. */
    public Acl inherited(int mode) {
        return withMode(modeBits() & mode);
    }

    /**
     * Whether a caller that is neither the owner nor the superuser is granted all bits (acl(5),
     * access check algorithm).
     *
     * @param group the group of the inode
     */
    public boolean grants(Caller caller, int group, int bits) {
        int mask = groupClassMask();
        boolean inGroup = false;
        for (Entry entry : entries) {
            boolean matches =
                    switch (entry.tag) {
                        case USER -> entry.id == caller.uid();
                        case GROUP -> caller.isInGroup(group);
                        case NAMED_GROUP -> caller.isInGroup(entry.id);
                        default -> false;
                    };
            if (matches && entry.tag == Tag.USER) {
                return (entry.bits & mask & bits) == bits;
            }
            if (matches && (entry.bits & mask & bits) == bits) {
                return true;
            }
            inGroup |= matches;
        }
        return !inGroup && (bits(Tag.OTHER) & bits) == bits;
    }

    private int groupClassMask() {
        for (Entry entry : entries) {
            if (entry.tag == Tag.MASK) {
                return entry.bits;
            }
        }
        return ALL;
    }
}
