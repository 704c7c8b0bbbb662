package io.cairn.metadata.inode;

import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.fs.Acl;
import io.cairn.fs.Acls;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileType;
import org.jspecify.annotations.Nullable;

/**
 * An inode while a mutation works on it: the fields of {@link Inode} and {@link Attributes}, open
 * for change, with the rules that tie some of them together. Lives within one mutation; {@link
 * #seal} makes the immutable inode.
 */
public final class InodeDraft {
    /** Size that directories show; their contents are keys of the store. */
    static final long DIRECTORY_SIZE_BYTES = 4096;

    static final int SETUID = 04000;
    static final int SETGID = 02000;
    static final int GROUP_EXECUTE = 010;

    /** As it is in the state; null for a new one. */
    @Nullable Inode stored;

    public final long ino;
    public final FileType type;
    int generation = 1;
    public int mode;
    public int nlink = 1;
    public int uid;
    public int gid;
    public long rdev;
    public long sizeBytes;
    public long usedBytes;
    public long atimeNs;
    public long mtimeNs;
    public long ctimeNs;
    private final long birthNs;
    long version;
    public long parentIno;
    long nameCookie;
    public Policy policy = Policy.STANDARD;
    public @Nullable Layout layout;
    public byte @Nullable [] inline;
    public long entryCount;
    public long exclusiveVerifier;
    public long nameChanges;
    Acls acls = Acls.NONE;
    public int flags;

    /** A new inode; all times are {@code nowNs}. */
    public InodeDraft(long ino, FileType type, long nowNs) {
        this.ino = ino;
        this.type = type;
        atimeNs = nowNs;
        mtimeNs = nowNs;
        ctimeNs = nowNs;
        birthNs = nowNs;
    }

    /** An existing inode. */
    public InodeDraft(Inode inode) {
        Attributes a = inode.attributes();
        stored = inode;
        ino = a.ino();
        type = a.type();
        generation = a.generation();
        mode = a.mode();
        nlink = a.nlink();
        uid = a.uid();
        gid = a.gid();
        rdev = a.rdev();
        sizeBytes = a.size();
        usedBytes = a.usedBytes();
        atimeNs = a.atimeNs();
        mtimeNs = a.mtimeNs();
        ctimeNs = a.ctimeNs();
        birthNs = a.birthNs();
        version = a.version();
        acls = a.acls();
        flags = a.flags();
        parentIno = inode.parentIno();
        nameCookie = inode.nameCookie();
        policy = inode.policy();
        layout = inode.layout();
        inline = inode.inline();
        entryCount = inode.entryCount();
        exclusiveVerifier = inode.exclusiveVerifier();
        nameChanges = inode.nameChanges();
    }

    /** Sets the permission bits, with which the access list goes along. */
    public void setMode(int newMode) {
        mode = newMode;
        acls = acls.withMode(newMode);
    }

    /** Sets the access list, with which the permission bits go along; null for none. */
    void setAccess(@Nullable Acl acl) {
        if (acl != null) {
            mode = (mode & ~0777) | acl.modeBits();
        }
        acls = acls.withAccess(acl);
    }

    /** Takes the home away: the next name becomes it. */
    public void leaveHome() {
        parentIno = 0;
        nameCookie = 0;
    }

    /** Takes the rights of everybody but the owner away. */
    public void closeToOthers() {
        acls = acls.withAccess(null);
        mode &= 0700;
    }

    /** Takes permission bits and access lists over. */
    public void takeRights(Attributes of) {
        mode = of.mode();
        acls = of.acls();
    }

    /** The contents were changed now. */
    public void touch(long nowNs) {
        mtimeNs = nowNs;
        ctimeNs = nowNs;
    }

    /** Names of this directory are changed now; once for each mutation. */
    public void touchNames(long nowNs) {
        touch(nowNs);
        nameChanges++;
    }

    /** Takes contents that live in the inode, with size and usage. */
    public void setInline(byte[] contents) {
        inline = contents;
        sizeBytes = contents.length;
        usedBytes = roundUp(contents.length, 512);
    }

    /** Takes ownership bits away, as write(2) and chown(2) demand. */
    public void killPrivilege() {
        if (type != FileType.DIRECTORY) {
            mode &= ~SETUID;
            if ((mode & GROUP_EXECUTE) != 0) {
                mode &= ~SETGID;
            }
        }
    }

    /** The finished inode. */
    public Inode seal() {
        Attributes attributes =
                new Attributes(
                        ino,
                        generation,
                        type,
                        mode,
                        nlink,
                        uid,
                        gid,
                        rdev,
                        sizeBytes,
                        usedBytes,
                        atimeNs,
                        mtimeNs,
                        ctimeNs,
                        version,
                        acls,
                        birthNs,
                        flags);
        return new Inode(
                attributes,
                parentIno,
                nameCookie,
                policy,
                layout,
                inline,
                entryCount,
                exclusiveVerifier,
                nameChanges);
    }

    /** The next multiple of {@code unit}, a power of two; the largest one instead of overflow. */
    public static long roundUp(long bytes, long unit) {
        return bytes > Long.MAX_VALUE - unit ? Long.MAX_VALUE & -unit : (bytes + unit - 1) & -unit;
    }
}
