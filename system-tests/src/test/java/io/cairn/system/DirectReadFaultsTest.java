package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.cairn.cluster.Endpoint;
import io.cairn.fs.OpenFile;
import io.cairn.node.ProcessContext;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers whose files a client reads itself stand still, are killed and come back. */
final class DirectReadFaultsTest {
    private static final int FILES = 3;
    private static final int FILE_BYTES = 300_000;

    @TempDir private Path directory;
    private final List<OpenFile> open = new ArrayList<>();

    private static byte[] contents(int round, int file) {
        byte[] bytes = new byte[FILE_BYTES];
        new Random(100L * round + file).nextBytes(bytes);
        return bytes;
    }

    private static void write(DirectClient writer, int round) {
        for (int i = 0; i < FILES; i++) {
            DirectClient.write(writer.files(), "f" + i, 0, contents(round, i));
        }
    }

    private void verify(int round) {
        for (int i = 0; i < FILES; i++) {
            assertArrayEquals(
                    contents(round, i),
                    DirectClient.read(open.get(i), 0, FILE_BYTES),
                    "file " + i + " of round " + round);
        }
    }

    private void readDirectly(DirectClient reader, int round) {
        for (int i = 0; i < FILES; i++) {
            reader.readDirectly(open.get(i), 0, contents(round, i));
        }
    }

    @Test
    @Timeout(value = 300)
    void nobodyReadsWhatAServerWithoutItsPlaceHas() throws Exception {
        try (ProcessCluster cluster = new ProcessCluster(directory, 2);
                ProcessContext world = new ProcessContext()) {
            cluster.startMasters(1, 2);
            cluster.startChunkServers(2);
            List<Endpoint> masters = List.of(Endpoint.parse(cluster.masters()));
            try (DirectClient writer = new DirectClient(world, masters);
                    DirectClient reader = new DirectClient(world, masters)) {
                write(writer, 0);
                for (int i = 0; i < FILES; i++) {
                    open.add(DirectClient.open(reader.files(), "f" + i));
                }
                readDirectly(reader, 0);
                cluster.process("c1").signal("STOP");
                write(writer, 1);
                verify(1);
                cluster.process("c1").signal("CONT");
                verify(1);
                readDirectly(reader, 1);
                Poll.until("all copies on both", 60, () -> cluster.isWhole("c2"));
                cluster.kill("c2");
                verify(1);
                write(writer, 2);
                verify(2);
                readDirectly(reader, 2);
                cluster.start("c2");
                write(writer, 3);
                verify(3);
                readDirectly(reader, 3);
                open.forEach(OpenFile::close);
            }
        }
    }
}
