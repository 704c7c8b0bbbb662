package io.cairn.master.access;

import static io.cairn.master.access.UserMapping.Kind.ALL;
import static io.cairn.master.access.UserMapping.Kind.ROOT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Policy;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Lock;
import io.cairn.fs.Name;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.wire.Encoder;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a mount may exchange whose users are mapped, when it asks by itself. */
final class MappedRightsTest {
    private static final int USER = 7;
    private static final int OTHER = 8;

    private final Namespace namespace = new Namespace(new MemoryStore());
    private final MappedRights one = rights(ALL);
    private final MappedRights others = rights(ROOT);
    private long session;
    private long sequence;
    private long index;
    private long own;
    private long copy;

    private MappedRights rights(UserMapping.Kind kind) {
        return new MappedRights(namespace, new UserMapping(kind, USER, USER));
    }

    @BeforeEach
    void makeFiles() {
        apply(new Envelope(0, 0, 0, 1, new LeaderMutation.Found(77, 2, 4096)));
        Reply opened = apply(new Envelope(0, 1000, 0, 1, new SessionMutation.OpenSession("test")));
        session = assertInstanceOf(Reply.SessionReply.class, opened).session();
        own = create("own", USER);
        copy = create("copy", USER);
    }

    private Reply apply(Envelope envelope) {
        byte[] entry = new Encoder().bytes(envelope.toBytes()).toBytes();
        return namespace.apply(1, ++index, entry).outcomes().getFirst().reply();
    }

    private long change(Mutation mutation) {
        sequence++;
        Reply reply = apply(new Envelope(session, sequence, sequence - 1, 1, mutation));
        return assertInstanceOf(Reply.EntryReply.class, reply, reply.toString()).inode().ino();
    }

    /** A file that all may write. */
    private long create(String name, int uid) {
        return change(
                new TreeMutation.Create(
                        FileSystem.ROOT_INO,
                        Name.of(name),
                        FileType.FILE,
                        0666,
                        uid,
                        uid,
                        0,
                        false,
                        0,
                        new byte[0],
                        false));
    }

    private ContentMutation.SwapContents swap(long ino, long otherIno) {
        return new ContentMutation.SwapContents(ino, version(ino), otherIno, version(otherIno));
    }

    private long version(long ino) {
        return Objects.requireNonNull(namespace.inode(ino)).attributes().version();
    }

    private void refused(MappedRights rights, long ino, long otherIno) {
        for (Mutation mutation : new Mutation[] {swap(ino, otherIno), swap(otherIno, ino)}) {
            FsException refusal =
                    assertThrows(
                            FsException.class, () -> rights.require(mutation), mutation.toString());
            assertEquals(Errno.EPERM, refusal.errno(), refusal.getMessage());
        }
    }

    @Test
    void contentsOfProtectedFilesAreNotExchanged() {
        one.require(swap(own, copy));
        others.require(swap(own, copy));
        for (int flag : new int[] {Attributes.IMMUTABLE, Attributes.APPEND}) {
            AttributeChange set = AttributeChange.NONE.withFlags(flag, flag);
            change(new TreeMutation.SetAttributes(own, set));
            refused(one, own, copy);
            refused(others, own, copy);
            AttributeChange clear = AttributeChange.NONE.withFlags(flag, 0);
            change(new TreeMutation.SetAttributes(own, clear));
            one.require(swap(own, copy));
            others.require(swap(own, copy));
        }
    }

    private static Mutation writing(long ino, AttributeChange along) {
        var write = new ContentMutation.WriteInline(ino, 0, List.of(), 0, 1);
        return new TreeMutation.WriteAndSet(write, along);
    }

    @Test
    void attributesThatAWriteTakesAlongAskForTheirOwnRights() {
        AttributeChange mode = AttributeChange.NONE.withMode(0640);
        one.require(writing(own, mode));
        long foreign = create("foreign", OTHER);
        one.require(new ContentMutation.WriteInline(foreign, 0, List.of(), 0, 1));
        assertThrows(FsException.class, () -> one.require(writing(foreign, mode)));
        UserMapping mapping = new UserMapping(ROOT, USER, USER);
        assertEquals(
                writing(own, AttributeChange.NONE.withUid(USER).withGid(OTHER)),
                MappedOwners.of(
                        writing(own, AttributeChange.NONE.withUid(0).withGid(OTHER)), mapping));
    }

    @Test
    void onlyTheOwnerChangesThePolicyWithTheContents() {
        long foreign = create("foreign", OTHER);
        long roots = create("roots", 0);
        one.require(swap(foreign, copy));
        others.require(swap(roots, copy));
        change(new TreeMutation.SetPolicy(copy, new Policy(2, 16, -1)));
        refused(one, foreign, copy);
        refused(others, roots, copy);
        one.require(swap(own, copy));
        others.require(swap(own, copy));
        others.require(swap(foreign, copy));
    }

    private static SessionMutation.SetLock lock(long ino, Lock.Kind kind, Lock.Mode mode) {
        return new SessionMutation.SetLock(ino, new Lock(kind, mode, 1, 0, 9, 1), false, 1);
    }

    /** Whoever has it and does not give it back keeps all others from appending. */
    @Test
    void theTokenToAppendIsForThoseWhoMayWrite() {
        AttributeChange closed = AttributeChange.NONE.withMode(0644);
        long roots = create("roots", 0);
        change(new TreeMutation.SetAttributes(roots, closed));
        for (MappedRights rights : List.of(one, others)) {
            rights.require(lock(own, Lock.Kind.APPEND, Lock.Mode.EXCLUSIVE));
            Mutation token = lock(roots, Lock.Kind.APPEND, Lock.Mode.EXCLUSIVE);
            FsException refusal = assertThrows(FsException.class, () -> rights.require(token));
            assertEquals(Errno.EACCES, refusal.errno());
            rights.require(lock(roots, Lock.Kind.APPEND, Lock.Mode.UNLOCK));
            rights.require(lock(roots, Lock.Kind.POSIX, Lock.Mode.SHARED));
        }
    }

    /** Others would wait for it for ever. */
    @Test
    void aFileThatNobodyHereMayOpenIsNotLocked() {
        long secret = create("secret", 0);
        change(new TreeMutation.SetAttributes(secret, AttributeChange.NONE.withMode(0600)));
        for (MappedRights rights : List.of(one, others)) {
            for (Lock.Kind kind : Lock.Kind.CODES.all()) {
                Mutation lock = lock(secret, kind, Lock.Mode.SHARED);
                FsException refusal = assertThrows(FsException.class, () -> rights.require(lock));
                assertEquals(Errno.EACCES, refusal.errno());
                rights.require(lock(secret, kind, Lock.Mode.UNLOCK));
                rights.require(lock(own, kind, Lock.Mode.SHARED));
            }
        }
    }
}
