package io.cairn.admin;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.cairn.cluster.Inode;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.master.MasterService;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.nio.charset.StandardCharsets;

/** Plants files and directories in a master, as a client does. */
public final class Forest {
    public static final long ROOT = FileSystem.ROOT_INO;

    private final MasterService master;
    private final long session;
    private long sequence;

    public Forest(MasterService master) {
        this.master = master;
        Reply opened = submit(0, 4711, new SessionMutation.OpenSession("forest"));
        session = assertInstanceOf(Reply.SessionReply.class, opened).session();
    }

    private Reply submit(long of, long number, Mutation mutation) {
        byte[] envelope = new Envelope(of, number, number - 1, 0, mutation).toBytes();
        return master.log().submit(envelope, 0).join().reply();
    }

    public Reply submit(LeaderMutation mutation) {
        return master.submit(mutation).join();
    }

    public Inode made(Mutation mutation) {
        Reply reply = submit(session, ++sequence, mutation);
        return assertInstanceOf(Reply.EntryReply.class, reply, reply.toString()).inode();
    }

    public Inode mkdir(long parentIno, String name) {
        return made(new TreeMutation.Mkdir(parentIno, Name.of(name), 0755, 0, 0));
    }

    public Inode symlink(long parentIno, String name, String target) {
        return made(
                new TreeMutation.Symlink(
                        parentIno, Name.of(name), target.getBytes(StandardCharsets.UTF_8), 0, 0));
    }

    public Inode create(long parentIno, String name, String contents) {
        return create(parentIno, Name.of(name), contents);
    }

    public Inode create(long parentIno, Name name, String contents) {
        return made(
                new TreeMutation.Create(
                        parentIno,
                        name,
                        FileType.FILE,
                        0644,
                        0,
                        0,
                        0,
                        false,
                        0,
                        contents.getBytes(StandardCharsets.UTF_8),
                        false));
    }

    /** The contents of a file go to chunks. */
    public void spill(Inode file, long sizeBytes) {
        made(
                new ContentMutation.Spill(
                        file.ino(), file.attributes().version(), sizeBytes, 1, sizeBytes));
    }
}
