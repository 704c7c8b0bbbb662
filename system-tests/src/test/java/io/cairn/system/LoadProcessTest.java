package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.jr.ob.JSON;

/** What administrators are told of load and errors, by processes that really write and read. */
@Timeout(value = 240)
class LoadProcessTest {
    private static final int FILE_BYTES = 48 << 20;

    /** What may be told beyond what was written: an operation that was sent twice. */
    private static final double TOLERANCE = 1.01;

    @TempDir Path directory;

    /** The API of the only master. */
    private record Api(HttpClient http, String address, String token) {
        Map<String, Object> get(String path) throws Exception {
            HttpRequest request =
                    HttpRequest.newBuilder(URI.create("http://" + address + "/api/v1" + path))
                            .timeout(Duration.ofSeconds(30))
                            .header("Authorization", "Bearer " + token)
                            .build();
            HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            assertEquals(200, answer.statusCode(), answer.body());
            return JSON.std.mapFrom(answer.body());
        }

        /** A number of the load of all targets, added up. */
        long sum(String field) throws Exception {
            long sum = 0;
            if (get("/targets").get("items") instanceof List<?> items) {
                for (Object item : items) {
                    sum += item instanceof Map<?, ?> target ? number(target.get("load"), field) : 0;
                }
            }
            return sum;
        }

        /** Whether the rates say that clients write, and the disks in two copies. */
        boolean isWritten() throws Exception {
            Object rates = get("/cluster").get("rates");
            long written = number(rates, "writtenBytesPerSecond");
            return written > 0 && number(rates, "diskWrittenBytesPerSecond") > written;
        }

        private static long number(@Nullable Object load, String field) {
            return load instanceof Map<?, ?> map && map.get(field) instanceof Number number
                    ? number.longValue()
                    : 0;
        }
    }

    private Api api(ProcessCluster cluster, HttpClient http) throws Exception {
        String address = cluster.process("m1").await("admin on (\\S+)", 60).group(1);
        return new Api(http, address, Files.readString(cluster.awaitFirstToken()).strip());
    }

    @Test
    void bytesAndErrorsAreTold() throws Exception {
        byte[] contents = new byte[FILE_BYTES];
        new Random(5).nextBytes(contents);
        try (HttpClient http = HttpClient.newHttpClient();
                ProcessCluster cluster = new ProcessCluster(directory, 2)) {
            cluster.startMasters(1, 2);
            cluster.startChunkServers(2);
            Path mount = cluster.mount("mnt");
            Api api = api(cluster, http);
            write(mount.resolve("film"), contents);
            Poll.until("rate", 60, api::isWritten);
            Poll.until("bytes", 60, () -> api.sum("writtenBytes") >= FILE_BYTES);
            long written = api.sum("writtenBytes");
            assertTrue(written <= FILE_BYTES * TOLERANCE, written + " bytes");
            assertEquals(0, api.sum("errors"));
            assertEquals("ok", health(api).get("level"), () -> health(api).toString());

            damage(directory.resolve("c1"));
            // A mount that reads the files of the servers itself asks them for nothing.
            Path other = cluster.mount("other", "", "-o", "direct=off");
            assertArrayEquals(contents, Files.readAllBytes(other.resolve("film")));
            Poll.until("bytes read", 60, () -> api.sum("readBytes") >= FILE_BYTES);
            Poll.until("errors", 30, () -> api.sum("errors") > 0);
            Poll.until("warning", 60, () -> "warning".equals(health(api).get("level")));
            String reasons = String.valueOf(health(api).get("reasons"));
            String disk = "Disk " + directory.resolve("c1") + " of chunk server c1 has had ";
            assertTrue(reasons.contains(disk), reasons);
            assertFalse(reasons.contains("of chunk server c2"), reasons);
        }
    }

    private static Map<?, ?> health(Api api) {
        try {
            return assertInstanceOf(Map.class, api.get("/cluster").get("health"));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void write(Path file, byte[] contents) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(contents);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
    }

    /** Overwrites the beginning of every blob of a target, as a disk does that forgets. */
    private static void damage(Path target) throws IOException {
        List<Path> blobs;
        try (Stream<Path> files = Files.walk(target.resolve("pg"))) {
            blobs = files.filter(Files::isRegularFile).toList();
        }
        assertFalse(blobs.isEmpty());
        for (Path blob : blobs) {
            try (FileChannel channel = FileChannel.open(blob, StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.wrap(new byte[4096]), 0);
            }
        }
    }
}
