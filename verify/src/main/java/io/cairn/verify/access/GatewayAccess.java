package io.cairn.verify.access;

import io.cairn.runtime.Deadline;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * An NFS client that works as a kernel does: unstable writes, a commit when the file is closed, and
 * everything again when the gateway has lost what was not committed. So whatever it has closed is
 * on stable media. Each call has a connection of its own for so long.
 */
public final class GatewayAccess implements FileAccess {
    private static final int LOOKUP = 3;
    private static final int READ = 6;
    private static final int WRITE = 7;
    private static final int CREATE = 8;
    private static final int MKDIR = 9;
    private static final int REMOVE = 12;
    private static final int RENAME = 14;
    private static final int READDIR = 16;
    private static final int COMMIT = 21;

    private static final int NOT_THERE = 2;
    private static final int THERE = 17;
    private static final int JUKEBOX = 10008;

    private static final int PIECE = 64 << 10;
    private static final int ATTRIBUTES = 84;
    private static final int PATIENCE_S = 60;
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final String name;
    private final String host;
    private final int port;
    private final ConcurrentLinkedQueue<NfsConnection> idle = new ConcurrentLinkedQueue<>();
    private final AtomicInteger xids = new AtomicInteger();
    private final Map<String, byte[]> directories = new ConcurrentHashMap<>();

    /** Connects with the first call. */
    public GatewayAccess(String name, String host, int port) {
        this.name = name;
        this.host = host;
        this.port = port;
    }

    @Override
    public String name() {
        return name;
    }

    private DataInputStream call(
            int program, int procedure, String path, NfsConnection.Writer arguments)
            throws IOException {
        NfsConnection connection = idle.poll();
        if (connection == null) {
            connection = new NfsConnection(host, port, xids);
        }
        DataInputStream results;
        try {
            results = connection.call(program, procedure, arguments);
        } catch (IOException e) {
            connection.close();
            // Those beside it lead to the same process, which may be another one by now.
            for (NfsConnection each = idle.poll(); each != null; each = idle.poll()) {
                each.close();
            }
            throw e;
        }
        idle.add(connection);
        int status = results.readInt();
        return switch (status) {
            case 0 -> results;
            case NOT_THERE -> throw new NoSuchFileException(path);
            case THERE -> throw new FileAlreadyExistsException(path);
            case JUKEBOX -> throw new TryLaterException();
            default -> throw new IOException(path + ": NFS status " + status);
        };
    }

    /** A call that may be made again, for as long as the gateway asks for it. */
    private DataInputStream repeat(int procedure, String path, NfsConnection.Writer arguments)
            throws IOException {
        Deadline end = Deadline.afterS(PATIENCE_S);
        while (true) {
            try {
                return call(NfsConnection.NFS, procedure, path, arguments);
            } catch (TryLaterException e) {
                if (end.isOver()) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
    }

    private byte[] directory(String path) throws IOException {
        byte[] known = directories.get(path);
        if (known != null) {
            return known;
        }
        byte[] found =
                path.isEmpty()
                        ? NfsConnection.opaque(
                                call(
                                        NfsConnection.MOUNT,
                                        1,
                                        "/",
                                        out -> NfsConnection.opaque(out, new byte[] {'/'})))
                        : lookup(path);
        directories.put(path, found);
        return found;
    }

    private static String parent(String path) {
        return path.substring(0, Math.max(0, path.lastIndexOf('/')));
    }

    private NfsConnection.Writer entry(String path) throws IOException {
        byte[] directory = directory(parent(path));
        byte[] last = path.substring(path.lastIndexOf('/') + 1).getBytes(StandardCharsets.UTF_8);
        return out -> {
            NfsConnection.opaque(out, directory);
            NfsConnection.opaque(out, last);
        };
    }

    private byte[] lookup(String path) throws IOException {
        return NfsConnection.opaque(repeat(LOOKUP, path, entry(path)));
    }

    /** {@code sattr3} with nothing but a mode. */
    private static void mode(DataOutputStream out, int mode) throws IOException {
        for (int field : new int[] {1, mode, 0, 0, 0, 0, 0}) {
            out.writeInt(field);
        }
    }

    @Override
    public void createDirectory(String path) throws IOException {
        NfsConnection.Writer entry = entry(path);
        call(
                NfsConnection.NFS,
                MKDIR,
                path,
                out -> {
                    entry.to(out);
                    mode(out, 0755);
                });
    }

    @Override
    public void createNew(String path) throws IOException {
        create(path);
    }

    private byte[] create(String path) throws IOException {
        NfsConnection.Writer entry = entry(path);
        DataInputStream made =
                call(
                        NfsConnection.NFS,
                        CREATE,
                        path,
                        out -> {
                            entry.to(out);
                            out.writeInt(1);
                            mode(out, 0644);
                        });
        return made.readInt() == 0 ? lookup(path) : NfsConnection.opaque(made);
    }

    @Override
    public void store(String path, byte[] contents, boolean sync) throws IOException {
        put(create(path), path, 0, contents);
    }

    @Override
    public Closeable storeOpen(String path, byte[] contents) throws IOException {
        store(path, contents, true);
        return () -> {};
    }

    @Override
    public void write(String path, long offset, byte[] bytes, boolean sync) throws IOException {
        put(lookup(path), path, offset, bytes);
    }

    private void put(byte[] file, String path, long offset, byte[] bytes) throws IOException {
        Deadline end = Deadline.afterS(PATIENCE_S);
        do {
            Long verifier = null;
            boolean same = true;
            for (int at = 0; at < bytes.length; at += PIECE) {
                long next =
                        write(
                                file,
                                path,
                                offset + at,
                                Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + PIECE)));
                same &= verifier == null || verifier == next;
                verifier = next;
            }
            long committed = commit(file, path);
            if (same && (verifier == null || verifier == committed)) {
                return;
            }
        } while (!end.isOver());
        throw new IOException(path + ": the gateway loses its writes again and again");
    }

    /** The write verifier. */
    private long write(byte[] file, String path, long offset, byte[] bytes) throws IOException {
        DataInputStream done =
                repeat(
                        WRITE,
                        path,
                        out -> {
                            NfsConnection.opaque(out, file);
                            out.writeLong(offset);
                            out.writeInt(bytes.length);
                            out.writeInt(0);
                            NfsConnection.opaque(out, bytes);
                        });
        skipChange(done);
        if (done.readInt() != bytes.length) {
            throw new IOException(path + ": a short write");
        }
        done.readInt();
        return done.readLong();
    }

    private long commit(byte[] file, String path) throws IOException {
        DataInputStream done =
                repeat(
                        COMMIT,
                        path,
                        out -> {
                            NfsConnection.opaque(out, file);
                            out.writeLong(0);
                            out.writeInt(0);
                        });
        skipChange(done);
        return done.readLong();
    }

    /** {@code wcc_data}. */
    private static void skipChange(DataInputStream in) throws IOException {
        if (in.readInt() != 0) {
            in.skipNBytes(24);
        }
        skipAttributes(in);
    }

    private static void skipAttributes(DataInputStream in) throws IOException {
        if (in.readInt() != 0) {
            in.skipNBytes(ATTRIBUTES);
        }
    }

    @Override
    public byte[] load(String path) throws IOException {
        return read(path, 0, Integer.MAX_VALUE);
    }

    @Override
    public byte[] read(String path, long offset, int length) throws IOException {
        byte[] file = lookup(path);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        boolean isEnd = false;
        while (!isEnd && all.size() < length) {
            long from = offset + all.size();
            int count = Math.min(PIECE, length - all.size());
            DataInputStream part =
                    repeat(
                            READ,
                            path,
                            out -> {
                                NfsConnection.opaque(out, file);
                                out.writeLong(from);
                                out.writeInt(count);
                            });
            skipAttributes(part);
            part.readInt();
            isEnd = part.readInt() != 0;
            all.write(NfsConnection.opaque(part));
        }
        return all.toByteArray();
    }

    @Override
    public void rename(String from, String to) throws IOException {
        NfsConnection.Writer old = entry(from);
        NfsConnection.Writer next = entry(to);
        call(
                NfsConnection.NFS,
                RENAME,
                from,
                out -> {
                    old.to(out);
                    next.to(out);
                });
    }

    @Override
    public void remove(String path) throws IOException {
        call(NfsConnection.NFS, REMOVE, path, entry(path));
    }

    @Override
    public SortedSet<String> list(String path) throws IOException {
        byte[] directory = directory(path);
        SortedSet<String> names = new TreeSet<>();
        long[] cursor = new long[2];
        boolean isEnd = false;
        while (!isEnd) {
            DataInputStream page =
                    repeat(
                            READDIR,
                            path,
                            out -> {
                                NfsConnection.opaque(out, directory);
                                out.writeLong(cursor[0]);
                                out.writeLong(cursor[1]);
                                out.writeInt(PIECE);
                            });
            skipAttributes(page);
            cursor[1] = page.readLong();
            while (page.readInt() != 0) {
                page.readLong();
                names.add(new String(NfsConnection.opaque(page), StandardCharsets.UTF_8));
                cursor[0] = page.readLong();
            }
            isEnd = page.readInt() != 0;
        }
        names.remove(".");
        names.remove("..");
        return names;
    }
}
