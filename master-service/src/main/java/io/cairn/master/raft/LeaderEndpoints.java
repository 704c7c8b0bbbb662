package io.cairn.master.raft;

import io.cairn.cluster.Endpoint;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.MalformedMessageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Where clients reach the masters that have led. A master knows only its own endpoint; each new
 * leader logs its own as its first entry, so that every master that follows can send clients there:
 *
 * <pre>
 * +----+--------+--------+------+
 * | -1 | master |  host  | port |
 * | 4  | 4 + n  | 4 + n  |  4   |
 * +----+--------+--------+------+
 * </pre>
 *
 * The first field sets it apart from a group of envelopes, which begins with a length. A checkpoint
 * carries the announcements up to it in the file {@code ENDPOINTS}: a count and so many entries.
 * They are hints: a damaged file counts as an empty one. Thread-safe.
 */
final class LeaderEndpoints {
    static final String FILE = "ENDPOINTS";
    private static final int MARK = -1;

    private final Map<String, Endpoint> endpoints = new ConcurrentHashMap<>();

    /** The log entry that announces an endpoint. */
    static byte[] entry(String master, Endpoint client) {
        Encoder out = new Encoder();
        encode(out, master, client);
        return out.toBytes();
    }

    /** Whether a log entry is an announcement. */
    static boolean isOne(byte[] entry) {
        return entry.length >= 4 && new Decoder(entry).i32() == MARK;
    }

    /** Takes over an announcement. */
    void apply(byte[] entry) {
        decode(new Decoder(entry));
    }

    /** The endpoint of a master, or null when it has not led yet. */
    @Nullable Endpoint of(String master) {
        return endpoints.get(master);
    }

    /** Writes the file into a checkpoint. */
    void save(Path checkpoint) throws IOException {
        Encoder out = new Encoder();
        Map<String, Endpoint> sorted = new TreeMap<>(endpoints);
        out.i32(sorted.size());
        sorted.forEach((master, client) -> encode(out, master, client));
        Files.write(checkpoint.resolve(FILE), out.toBytes());
    }

    /** Reads the file of a checkpoint. */
    void load(Path checkpoint) throws IOException {
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(checkpoint.resolve(FILE));
        } catch (NoSuchFileException e) {
            return;
        }
        try {
            Decoder in = new Decoder(bytes);
            for (int left = in.i32(); left > 0; left--) {
                decode(in);
            }
        } catch (MalformedMessageException e) {
            endpoints.clear();
        }
    }

    private static void encode(Encoder out, String master, Endpoint client) {
        out.i32(MARK).text(master).text(client.host()).i32(client.port());
    }

    private void decode(Decoder in) {
        in.i32();
        String master = in.text();
        endpoints.put(master, new Endpoint(in.text(), in.i32()));
    }
}
