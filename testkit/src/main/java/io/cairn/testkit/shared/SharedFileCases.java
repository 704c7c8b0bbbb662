package io.cairn.testkit.shared;

import io.cairn.base.FsException;
import io.cairn.testkit.posix.Posix;
import io.cairn.testkit.posix.Posix.Capability;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Two processes on two machines change the size and the contents of one file in turn, the first one
 * through a file that it holds open: each finds what the other was told is done.
 *
 * <p>The model is the order of the calls. Bytes that the first one has written and not made durable
 * when the other one cuts the file were written before the cut.
 */
public final class SharedFileCases {
    private static final int[] SIZES = {0, 100, 3000, 6000, 300_000};

    /** The change of the file. */
    enum Step {
        WRITE,
        APPEND,
        EMPTY,
        OPEN_TRUNCATED,
        CUT,
        LENGTHEN,
        ALLOCATE,
        PUNCH
    }

    private final Posix holder;
    private final Posix other;
    private byte[] model = new byte[0];
    private int round;

    /**
     * @param holder keeps the file open
     * @param other sees the same files, as on another machine
     */
    public SharedFileCases(Posix holder, Posix other) {
        this.holder = holder;
        this.other = other;
    }

    /** Tries every pair of steps on files of several sizes; what went wrong. */
    public List<String> run() {
        List<String> wrong = new ArrayList<>();
        for (int size : SIZES) {
            for (Step mine : Step.values()) {
                for (Step its : Step.values()) {
                    if (can(holder, mine) && can(other, its)) {
                        pair(size, mine, its, true, wrong);
                        if (isOrdered(mine, its)) {
                            pair(size, mine, its, false, wrong);
                        }
                    }
                }
            }
        }
        return wrong;
    }

    /**
     * The first one appends lines to a log without rest, the other one copies and cuts it, as log
     * rotation does. Each line that is written when a cut was answered is there, whole, and behind
     * nothing but the lines before it. The errors.
     */
    public List<String> rotate(int cuts) throws Exception {
        holder.create("log", 0644);
        AtomicInteger begun = new AtomicInteger();
        AtomicBoolean ended = new AtomicBoolean();
        int needed = 0;
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            Future<?> appending = thread.submit(() -> append(begun, ended));
            try {
                for (int i = 0; i < cuts; i++) {
                    int enough = begun.get() + 40;
                    while (begun.get() < enough && !appending.isDone()) {
                        Thread.onSpinWait();
                    }
                    int fd = other.open("log", Posix.O_RDWR, 0);
                    other.read(fd, 1 << 20);
                    other.ftruncate(fd, 0);
                    needed = begun.get();
                    other.close(fd);
                }
                int enough = begun.get() + 40;
                while (begun.get() < enough && !appending.isDone()) {
                    Thread.onSpinWait();
                }
            } finally {
                ended.set(true);
            }
            appending.get();
        }
        return lines(needed, begun.get());
    }

    private void append(AtomicInteger begun, AtomicBoolean ended) {
        int fd = holder.open("log", Posix.O_WRONLY | Posix.O_APPEND, 0);
        while (!ended.get()) {
            String line = "line %06d\n".formatted(begun.getAndIncrement());
            holder.write(fd, line.getBytes(StandardCharsets.US_ASCII));
        }
        holder.close(fd);
    }

    private List<String> lines(int needed, int total) {
        int fd = holder.open("log", Posix.O_RDONLY, 0);
        String text = new String(holder.read(fd, 1 << 24), StandardCharsets.US_ASCII);
        holder.close(fd);
        List<String> lines = text.lines().toList();
        List<String> wrong = new ArrayList<>();
        int first = total - lines.size();
        if (first > needed) {
            wrong.add("lines from " + needed + " are needed, there are those from " + first);
        }
        for (int i = 0; i < lines.size() && wrong.isEmpty(); i++) {
            String right = "line %06d".formatted(first + i);
            if (!lines.get(i).equals(right)) {
                wrong.add("instead of " + right + ": " + lines.get(i));
            }
        }
        return wrong;
    }

    private static boolean can(Posix door, Step step) {
        return switch (step) {
            case ALLOCATE -> door.capabilities().contains(Capability.FALLOCATE);
            case PUNCH -> door.capabilities().contains(Capability.PUNCH_HOLE);
            default -> true;
        };
    }

    /** Whether the other one's step comes after what the first one has not made durable. */
    private static boolean isOrdered(Step mine, Step its) {
        boolean cuts = its == Step.EMPTY || its == Step.OPEN_TRUNCATED;
        return cuts && mine != Step.OPEN_TRUNCATED;
    }

    private void pair(int size, Step mine, Step its, boolean durable, List<String> wrong) {
        String name = "shared" + round++;
        String what = mine + " beside " + its + ", " + size + " bytes, durable " + durable;
        try {
            model = bytes(size);
            int made = holder.open(name, Posix.O_CREAT | Posix.O_RDWR, 0644);
            holder.write(made, model);
            holder.close(made);
            int flags = Posix.O_RDWR | (mine == Step.APPEND ? Posix.O_APPEND : 0);
            int held = holder.open(name, flags, 0);
            for (int i = 0; i < 2; i++) {
                step(holder, name, held, mine);
                if (durable) {
                    holder.fsync(held);
                }
                holder.fstat(held);
                int fd = openFor(other, name, its);
                step(other, name, fd, its);
                other.close(fd);
            }
            step(holder, name, held, mine);
            holder.fsync(held);
            compare(what + ", other", other, name, wrong);
            compare(what + ", holder", holder, name, wrong);
            holder.close(held);
            compare(what + ", closed", other, name, wrong);
            holder.unlink(name);
        } catch (FsException e) {
            wrong.add(what + ": " + e);
        }
    }

    private static int openFor(Posix door, String name, Step step) {
        int flags = step == Step.APPEND ? Posix.O_APPEND : 0;
        return door.open(name, Posix.O_RDWR | flags, 0);
    }

    private void step(Posix door, String name, int fd, Step step) {
        byte[] some = bytes(40 + round % 7);
        switch (step) {
            case WRITE -> {
                // Inside the file and beyond its old end, never leaving a gap of unknown bytes.
                int at = Math.max(0, model.length - 10);
                door.pwrite(fd, some, at);
                put(at, some);
            }
            case APPEND -> {
                door.write(fd, some);
                put(model.length, some);
            }
            case EMPTY -> {
                door.ftruncate(fd, 0);
                model = new byte[0];
            }
            case OPEN_TRUNCATED -> {
                door.close(door.open(name, Posix.O_RDWR | Posix.O_TRUNC, 0));
                model = new byte[0];
            }
            case CUT -> {
                door.ftruncate(fd, model.length / 2);
                model = Arrays.copyOf(model, model.length / 2);
            }
            case LENGTHEN -> {
                door.ftruncate(fd, model.length + 500);
                model = Arrays.copyOf(model, model.length + 500);
            }
            case ALLOCATE -> {
                door.fallocate(fd, 0, model.length, 300);
                model = Arrays.copyOf(model, model.length + 300);
            }
            case PUNCH -> {
                int mode = Posix.FALLOC_PUNCH_HOLE | Posix.FALLOC_KEEP_SIZE;
                door.fallocate(fd, mode, 5, 60);
                int end = Math.min(65, model.length);
                Arrays.fill(model, Math.min(5, end), end, (byte) 0);
            }
        }
    }

    private void put(int at, byte[] bytes) {
        model = Arrays.copyOf(model, Math.max(model.length, at + bytes.length));
        System.arraycopy(bytes, 0, model, at, bytes.length);
    }

    private byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        Arrays.fill(bytes, (byte) ('a' + round++ % 26));
        return bytes;
    }

    private void compare(String what, Posix door, String name, List<String> wrong) {
        String differs = difference(door, name);
        if (differs != null) {
            wrong.add(what + ": " + differs);
        }
    }

    private @Nullable String difference(Posix door, String name) {
        int fd = door.open(name, Posix.O_RDONLY, 0);
        long size = door.fstat(fd).size();
        byte[] found = new byte[0];
        try {
            byte[] part = door.pread(fd, 1 << 20, 0);
            while (part.length > 0) {
                found = Arrays.copyOf(found, found.length + part.length);
                System.arraycopy(part, 0, found, found.length - part.length, part.length);
                part = door.pread(fd, 1 << 20, found.length);
            }
        } finally {
            door.close(fd);
        }
        int differs = Arrays.mismatch(model, found);
        return differs < 0 && size == model.length
                ? null
                : "size %d, %d bytes, differ at %d; right are %d bytes"
                        .formatted(size, found.length, differs, model.length);
    }
}
