package io.cairn.wire.master;

import io.cairn.cluster.Policy;
import io.cairn.fs.ModeChange;
import io.cairn.wire.Codecs;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import org.jspecify.annotations.Nullable;

/**
 * Changes that an administrator wants of an inode, or of every inode of a tree.
 *
 * @param uid new owner; -1 = unchanged
 * @param gid new group; -1 = unchanged
 * @param mode change of the permission bits, not of symbolic links; null = unchanged
 * @param policyMask which fields of the policy change: or of the constants below
 * @param policy the new fields; with 0 (stripe: -1) files are laid out as the cluster's standard is
 */
public record InodeEdit(
        int uid, int gid, @Nullable ModeChange mode, int policyMask, Policy policy) {
    /** The number of replicas changes. */
    public static final int REPLICAS = 1;

    /** The chunk size changes. */
    public static final int CHUNK_SIZE = 2;

    /** The stripe width changes. */
    public static final int STRIPE = 4;

    /** The compression changes. */
    public static final int COMPRESSION = 8;

    /** The limit of contents in the inode changes. */
    public static final int INLINE = 16;

    private static final int ALL = 31;

    /** A change of nothing. */
    public static final InodeEdit NONE = new InodeEdit(-1, -1, null, 0, Policy.STANDARD);

    /** A change of owner and group; -1 = unchanged. */
    public static InodeEdit owner(int uid, int gid) {
        return new InodeEdit(uid, gid, null, 0, Policy.STANDARD);
    }

    /** A change of the permission bits. */
    public static InodeEdit mode(ModeChange mode) {
        return new InodeEdit(-1, -1, mode, 0, Policy.STANDARD);
    }

    /** A change of some fields of the policy. */
    public static InodeEdit policy(int mask, Policy policy) {
        return new InodeEdit(-1, -1, null, mask, policy);
    }

    /** Whether the owner or the group change. */
    public boolean hasOwner() {
        return uid != -1 || gid != -1;
    }

    /** Whether it changes nothing at all. */
    public boolean isNothing() {
        return !hasOwner() && mode == null && policyMask == 0;
    }

    /** Whether the mask has no undefined bits. */
    public boolean isKnown() {
        return (policyMask & ~ALL) == 0;
    }

    /** A policy after this change. */
    public Policy policyAfter(Policy before) {
        return new Policy(
                (policyMask & REPLICAS) != 0 ? policy.replicas() : before.replicas(),
                (policyMask & CHUNK_SIZE) != 0 ? policy.chunkSizeLog2() : before.chunkSizeLog2(),
                (policyMask & STRIPE) != 0 ? policy.stripeWidth() : before.stripeWidth(),
                (policyMask & COMPRESSION) != 0 ? policy.compression() : before.compression(),
                (policyMask & INLINE) != 0 ? policy.inlineBytes() : before.inlineBytes(),
                before.labels(),
                before.key());
    }

    /** Writes the fields. */
    public void encode(Encoder out) {
        out.i32(uid).i32(gid).optional(mode, InodeEdit::mode).i32(policyMask);
        Codecs.policy(out, policy);
    }

    /** Reads the fields. */
    public static InodeEdit decode(Decoder in) {
        return new InodeEdit(
                in.i32(), in.i32(), in.optional(InodeEdit::mode), in.i32(), Codecs.policy(in));
    }

    private static void mode(Encoder out, ModeChange mode) {
        out.list(mode.clauses(), InodeEdit::clause);
    }

    private static ModeChange mode(Decoder in) {
        return new ModeChange(in.list(InodeEdit::clause));
    }

    private static void clause(Encoder out, ModeChange.Clause clause) {
        out.u8(clause.action().code()).u8(clause.source().code());
        out.i32(clause.affected()).i32(clause.bits()).i32(clause.mentioned());
    }

    private static ModeChange.Clause clause(Decoder in) {
        return new ModeChange.Clause(
                in.coded(ModeChange.Action.CODES),
                in.coded(ModeChange.Source.CODES),
                in.i32(),
                in.i32(),
                in.i32());
    }
}
