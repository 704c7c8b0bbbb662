package io.cairn.master.access;

import io.cairn.cluster.Policy;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.FileType;
import io.cairn.fs.HostContact;
import io.cairn.fs.Lock;
import io.cairn.fs.LockHost;
import io.cairn.fs.Name;
import io.cairn.fs.quota.Growth;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.ContentMutation.SharingMutation;
import io.cairn.wire.master.HostMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.SessionMutation.MakeFile;
import io.cairn.wire.master.TreeMutation;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** One request of each kind that clients send, to one directory. */
final class RuleSamples {
    private static final Name NAME = Name.of("file");
    private static final Name FREE = Name.of("free");
    private static final int UID = 1000;
    private static final LockHost HOST = new LockHost("a", "10.0.0.9");
    private static final byte[] XATTR = "user.a".getBytes(StandardCharsets.UTF_8);
    private static final byte[] VALUE = {1};

    private RuleSamples() {}

    /**
     * Where requests go.
     *
     * @param directory with two files
     * @param file its first one, of the name {@code file}, as it was made
     * @param other the second one, as it was made
     * @param version of the first one
     * @param otherVersion of the second one
     * @param session in which somebody asks
     */
    record Place(
            long directory, long file, long other, long version, long otherVersion, long session) {}

    private static Lock lock() {
        return new Lock(Lock.Kind.POSIX, Lock.Mode.EXCLUSIVE, 1, 0, 9, 1);
    }

    /** A new file that only its owner reads and writes. */
    static TreeMutation.Create creation(long directory, String name, int uid) {
        return new TreeMutation.Create(
                directory,
                Name.of(name),
                FileType.FILE,
                0600,
                uid,
                uid,
                0,
                false,
                0,
                new byte[0],
                false);
    }

    static List<Mutation> mutations(Place at) {
        long directory = at.directory();
        long file = at.file();
        AttributeChange mode = AttributeChange.NONE.withMode(0777);
        var write =
                new ContentMutation.WriteInline(
                        file, 0, List.of(new ContentMutation.Patch(0, VALUE)), 1, 1);
        return List.of(
                creation(directory, "free", UID),
                new TreeMutation.CreateUnnamed(directory, 0600, UID, UID, true),
                new TreeMutation.Mkdir(directory, FREE, 0755, UID, UID),
                new TreeMutation.Symlink(directory, FREE, VALUE, UID, UID),
                new TreeMutation.Link(file, directory, FREE),
                new TreeMutation.Unlink(directory, NAME),
                new TreeMutation.Rmdir(directory, NAME),
                new TreeMutation.Rename(directory, NAME, directory, FREE, 0, 0, 0),
                new TreeMutation.SetAttributes(file, mode),
                new TreeMutation.SetXattr(file, XATTR, VALUE, 0),
                new TreeMutation.ReplaceXattr(file, XATTR, VALUE, VALUE),
                new TreeMutation.RemoveXattr(file, XATTR),
                new TreeMutation.SetPolicy(file, Policy.STANDARD),
                new TreeMutation.Witnessed(new TreeMutation.Unlink(directory, NAME)),
                write,
                new TreeMutation.WriteAndSet(write, mode),
                new ContentMutation.CommitSize(file, 1, 1, 1, 0),
                new ContentMutation.Spill(file, 1, 1, 1, 0),
                new ContentMutation.CloneDone(file, new long[] {0}, new long[] {1}),
                new ContentMutation.SwapContents(file, at.version(), at.other(), at.otherVersion()),
                new ContentMutation.RenewTail(file, 1),
                new ContentMutation.TakeDetour(file, 1),
                new ContentMutation.TakePartialDetour(file, 1, new long[] {0}),
                new ContentMutation.RenewChunks(file, new long[] {0}, new long[] {1}),
                new ContentMutation.MoveChunks(file, 1, 0, new long[] {0}),
                new SharingMutation.ShareChunks(file, at.version(), at.other(), 0, 1),
                new MakeFile(creation(directory, "free", UID), 1 << 20, 1, mode),
                new SessionMutation.MakeDirectory(
                        new TreeMutation.Mkdir(directory, Name.of("free"), 0755, UID, UID),
                        1 << 20),
                new SessionMutation.RemoveEarly(directory, NAME, false, 1 << 20),
                new SessionMutation.SetLock(file, lock(), false, 1),
                new SessionMutation.CancelLock(file, 1),
                new SessionMutation.ReleaseLocks(file, Lock.Kind.POSIX, 1),
                new SessionMutation.ReserveNumbers(directory, true),
                new SessionMutation.OpenSession("liar"),
                new SessionMutation.CloseSession(at.session()),
                new HostMutation.SetHostLock(
                        new HostContact(HOST, 1, "gateway"), file, lock(), false, 1),
                new HostMutation.CancelHostLock(HOST, file, 1),
                new HostMutation.ReleaseHost(HOST, 0),
                new HostMutation.TakeNotifyState());
    }

    static List<Query> queries(Place at) {
        long directory = at.directory();
        long file = at.file();
        return List.of(
                new Query.Lookup(directory, NAME),
                new Query.LookupMany(directory, List.of(NAME)),
                new Query.ReadDirectory(directory, 0, 10, true),
                new Query.GetInode(file),
                new Query.GetXattr(file, XATTR),
                new Query.ListXattr(file),
                new Query.TestLock(file, lock()),
                new Query.TestHostLock(HOST, file, lock()),
                new Query.ListHosts(HOST, 10),
                new Query.Open(file),
                new Query.Release(new long[] {file}),
                new Query.KeepAlive(false, new long[] {file}),
                new Query.GetPath(file),
                new Query.CheckTail(file),
                new Query.HoldStill(file, 1000),
                new Query.GetAllowance(file, Growth.NONE, new Growth(1, 1), 1),
                new Query.GetRoom(file),
                new Query.GetUsage(),
                new Query.GetMap(0, 0, 0),
                new Query.GetStatus(),
                new Query.GetTicket(),
                new Query.BeginLogin("n,,n=a,r=b"),
                new Query.FinishLogin("c=biws"));
    }
}
