package io.cairn.client.session;

import io.cairn.base.Errno;
import io.cairn.fs.AttributeChange;
import io.cairn.wire.master.ContentMutation.WriteInline;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation.MakeFile;
import io.cairn.wire.master.TreeMutation;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A file that was made here. Guarded by {@link YoungFiles}. */
final class YoungFile {
    private static final byte[] NOTHING = {};

    /** Sends to the leading master without asking what has to be told before. */
    interface Sender {
        /** A mutation, or a query. */
        CompletableFuture<Reply> send(
                @Nullable Mutation mutation, @Nullable Query query, long session);
    }

    final TreeMutation.Create create;
    final long ino;
    final long session;
    final Consumer<Reply.@Nullable EntryReply> told;

    /** Whether a call about it had no answer: it may have been done. */
    boolean isDoubtful;

    /** Whether nobody has it open any more. */
    boolean isReleased;

    /** How many calls about it have no answer yet. */
    int calls;

    YoungFile(
            TreeMutation.Create create,
            long ino,
            long session,
            Consumer<Reply.@Nullable EntryReply> told) {
        this.create = create;
        this.ino = ino;
        this.session = session;
        this.told = told;
    }

    /** Whether it is one of these inodes, or in one of these directories. */
    boolean isAbout(Set<Long> inos) {
        return inos.contains(ino) || inos.contains(create.parentIno());
    }

    /** The mutation that tells of it, with its first contents. */
    MakeFile made(WriteInline write, AttributeChange along) {
        TreeMutation.Create with =
                new TreeMutation.Create(
                        create.parentIno(),
                        create.name(),
                        create.fileType(),
                        create.mode(),
                        create.uid(),
                        create.gid(),
                        create.rdev(),
                        false,
                        0,
                        write.applyTo(NOTHING),
                        true);
        return new MakeFile(with, ino, write.mtimeNs(), along);
    }

    /** Who made it was told that it is there: that others were faster means that it is lost. */
    Reply.Failure lost(Reply.Failure refused) {
        return switch (refused.errno()) {
            case EEXIST, ENOENT, ENOTDIR, ESTALE, EINVAL ->
                    new Reply.Failure(
                            Errno.EIO,
                            "'%s' was made while the masters could not be reached, and is lost: %s"
                                    .formatted(create.name(), refused.message()));
            default -> refused;
        };
    }
}
