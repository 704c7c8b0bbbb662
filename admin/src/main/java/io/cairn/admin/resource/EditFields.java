package io.cairn.admin.resource;

import io.cairn.admin.api.Call;
import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Shape;
import io.cairn.base.FsException;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Policy.Compression;
import io.cairn.fs.ModeChange;
import io.cairn.wire.master.InodeEdit;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Fields of bodies that say what to change of an inode, and of documents that tell it. */
public final class EditFields {
    private static final long MAX_ID = 0xffff_fffeL;
    private static final int MAX_STRIPE = 65_536;
    private static final String COMPRESSION = "compression";
    private static final String INLINE = "inlineLimitBytes";

    /** In the order of the documents. */
    static final List<Field> FIELDS =
            List.of(
                    Field.maybe(
                            "mode",
                            Shape.text(),
                            "As chmod takes it: octal (0755) or symbolic (u=rwx,go-w,+X)."),
                    Field.maybe("uid", Shape.whole(0, MAX_ID), "Owner."),
                    Field.maybe("gid", Shape.whole(0, MAX_ID), "Group."),
                    Field.maybe(
                            "replicas",
                            Shape.whole(1, Policy.MAX_REPLICAS),
                            "Copies of new contents; null: the cluster's standard."),
                    Field.maybe(
                            "chunkSizeBytes",
                            Shape.whole(
                                    1L << Layout.MIN_CHUNK_SIZE_LOG2,
                                    1L << Layout.MAX_CHUNK_SIZE_LOG2),
                            "Of new contents, a power of two; null: the standard of 4 MiB."),
                    Field.maybe(
                            "stripe",
                            Shape.whole(0, MAX_STRIPE),
                            "Placement groups that new contents use in turn, 0: all of the pool;"
                                    + " null: the standard."),
                    Field.maybe(
                            COMPRESSION,
                            Shape.choice(Compression.texts()),
                            "How new chunks are packed when they rest; null: none."),
                    Field.maybe(
                            INLINE,
                            Shape.whole(0, Policy.MAX_INLINE_BYTES),
                            "Contents up to it may be in the masters: 0, or a power of two from"
                                    + " 512; null: the standard."));

    private EditFields() {}

    /** The change that a body asks for. */
    static InodeEdit of(Call call) {
        int mask = 0;
        mask |= call.body().containsKey("replicas") ? InodeEdit.REPLICAS : 0;
        mask |= call.body().containsKey("chunkSizeBytes") ? InodeEdit.CHUNK_SIZE : 0;
        mask |= call.body().containsKey("stripe") ? InodeEdit.STRIPE : 0;
        mask |= call.body().containsKey(COMPRESSION) ? InodeEdit.COMPRESSION : 0;
        mask |= call.body().containsKey(INLINE) ? InodeEdit.INLINE : 0;
        Policy policy =
                new Policy(
                                number(call, "replicas", 0),
                                chunkSizeLog2(call.bodyNumber("chunkSizeBytes")),
                                number(call, "stripe", -1))
                        .with(Compression.of(call.bodyText(COMPRESSION)))
                        .withInline(inlineBytes(call));
        requirePackable(policy);
        return new InodeEdit(
                number(call, "uid", -1), number(call, "gid", -1), mode(call), mask, policy);
    }

    /** Fails when a policy packs chunks that are too large for it. */
    static void requirePackable(Policy policy) {
        if (policy.packsLargeChunks()) {
            throw Problem.invalid(
                    COMPRESSION,
                    "Chunks of more than 16 MiB are not packed, because the first change of a"
                            + " packed chunk unpacks all of it: give a 'chunkSizeBytes' up to"
                            + " 16777216, or no compression.");
        }
    }

    private static int inlineBytes(Call call) {
        int bytes = number(call, INLINE, Policy.UNSAID_INLINE);
        requireInlineLimit(bytes);
        return bytes;
    }

    /** 400 unless a body may give so many bytes as a limit of contents in the masters. */
    public static void requireInlineLimit(int bytes) {
        if (bytes != Policy.UNSAID_INLINE && !Policy.isInlineLimit(bytes)) {
            throw Problem.invalid(
                    INLINE,
                    "'inlineLimitBytes' must be 0, or a power of two from 512 to 16384, not "
                            + bytes
                            + ".");
        }
    }

    private static int number(Call call, String field, int otherwise) {
        Long number = call.bodyNumber(field);
        return number == null ? otherwise : number.intValue();
    }

    private static int chunkSizeLog2(@Nullable Long bytes) {
        if (bytes == null) {
            return 0;
        }
        if (Long.bitCount(bytes) != 1) {
            throw Problem.invalid(
                    "chunkSizeBytes",
                    "'chunkSizeBytes' must be a power of two such as 4194304, not " + bytes + ".");
        }
        return Long.numberOfTrailingZeros(bytes);
    }

    private static @Nullable ModeChange mode(Call call) {
        String text = call.bodyText("mode");
        if (text == null) {
            return null;
        }
        try {
            return ModeChange.parse(text);
        } catch (FsException e) {
            throw Problem.invalid("mode", e.getMessage() + ".");
        }
    }

    /** The fields of a change, by name. */
    static Map<String, Object> toJson(InodeEdit edit) {
        Map<String, Object> document = Json.map();
        ModeChange mode = edit.mode();
        if (mode != null) {
            document.put("mode", mode.text());
        }
        if (edit.uid() != -1) {
            document.put("uid", Integer.toUnsignedLong(edit.uid()));
        }
        if (edit.gid() != -1) {
            document.put("gid", Integer.toUnsignedLong(edit.gid()));
        }
        Map<String, Object> policy = policy(edit.policy());
        if ((edit.policyMask() & InodeEdit.REPLICAS) != 0) {
            document.put("replicas", policy.get("replicas"));
        }
        if ((edit.policyMask() & InodeEdit.CHUNK_SIZE) != 0) {
            document.put("chunkSizeBytes", policy.get("chunkSizeBytes"));
        }
        if ((edit.policyMask() & InodeEdit.STRIPE) != 0) {
            document.put("stripe", policy.get("stripe"));
        }
        if ((edit.policyMask() & InodeEdit.COMPRESSION) != 0) {
            document.put(COMPRESSION, policy.get(COMPRESSION));
        }
        if ((edit.policyMask() & InodeEdit.INLINE) != 0) {
            document.put(INLINE, policy.get(INLINE));
        }
        return document;
    }

    /** A policy; null stands for the cluster's standard. */
    static Map<String, Object> policy(Policy policy) {
        Map<String, Object> document = Json.map();
        document.put("replicas", policy.replicas() > 0 ? policy.replicas() : null);
        document.put(
                "chunkSizeBytes", policy.chunkSizeLog2() > 0 ? 1L << policy.chunkSizeLog2() : null);
        document.put("stripe", policy.stripeWidth() >= 0 ? policy.stripeWidth() : null);
        document.put(COMPRESSION, policy.compression().said());
        document.put(INLINE, policy.inlineBytes() >= 0 ? policy.inlineBytes() : null);
        document.put("labels", policy.labels().said());
        document.put("encryption", policy.cipher());
        return document;
    }
}
