package io.cairn.bench;

import io.cairn.cluster.DirectoryState;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.fs.Acls;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.wire.Decoder;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The cost of writing and reading the messages of a create: one request and one reply. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class CodecBenchmark {
    private final Envelope request =
            new Envelope(
                    7,
                    42,
                    41,
                    0,
                    new TreeMutation.Create(
                            1,
                            Name.of("some-file.txt"),
                            FileType.FILE,
                            0644,
                            1000,
                            1000,
                            0,
                            false,
                            0,
                            new byte[0],
                            true));
    private final Reply reply = reply();
    private final byte[] requestBytes = request.toBytes();
    private final byte[] replyBytes = reply.toBytes(1);

    private static Reply reply() {
        Attributes file =
                new Attributes(
                        9,
                        1,
                        FileType.FILE,
                        0644,
                        1,
                        1000,
                        1000,
                        0,
                        0,
                        0,
                        1,
                        1,
                        1,
                        5,
                        Acls.NONE,
                        0,
                        0);
        Attributes directory =
                new Attributes(
                        1,
                        1,
                        FileType.DIRECTORY,
                        0755,
                        2,
                        0,
                        0,
                        0,
                        1,
                        0,
                        1,
                        1,
                        1,
                        5,
                        Acls.NONE,
                        0,
                        0);
        Layout layout = new Layout(22, 0, 99, List.of(Layout.Run.of(0, 1, 1234)));
        Inode inode = new Inode(file, 1, 2, Policy.STANDARD, layout, new byte[0], 0, 0, 0);
        return new Reply.EntryReply(inode, new DirectoryState(directory, 3, 3), null, null);
    }

    @Benchmark
    public byte[] encodeRequest() {
        return request.toBytes();
    }

    @Benchmark
    public Envelope decodeRequest() {
        return Envelope.decode(new Decoder(requestBytes));
    }

    @Benchmark
    public byte[] encodeReply() {
        return reply.toBytes(1);
    }

    @Benchmark
    public Reply decodeReply() {
        return Reply.decode(new Decoder(replyBytes));
    }
}
