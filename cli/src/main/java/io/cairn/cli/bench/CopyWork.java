package io.cairn.cli.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What {@code dd} and {@code cp} show: one big file written, read and copied, records of 1 MiB. */
final class CopyWork implements Workload {
    private static final String GROUP = "dd and cp";

    private static final int RECORD = 1 << 20;

    @Override
    public void run(WorkPlace place, Results results) throws IOException, InterruptedException {
        long bytes = Math.max(RECORD, place.amount().fileBytes() / RECORD * RECORD);
        Path mounted = place.mounted().resolve("big");
        Path local = place.local().resolve("big");
        Figure disk = place.ceilings().diskWrite();
        Figure network = place.ceilings().loopback();
        results.bytes(GROUP, "dd to the mount, conv=fsync", write(place, mounted, bytes), disk);
        DataFile.forget(mounted);
        results.bytes(GROUP, "dd from the mount", read(place, mounted, bytes), network);
        write(place, local, bytes);
        results.bytes(
                GROUP,
                "cp from disk to mount",
                copy(place, local, place.mounted().resolve("in"), bytes),
                disk);
        DataFile.forget(mounted);
        results.bytes(
                GROUP,
                "cp from mount to disk",
                copy(place, mounted, place.local().resolve("out"), bytes),
                network);
        DataFile.forget(mounted);
        results.bytes(
                GROUP,
                "cp within the mount",
                copy(place, mounted, place.mounted().resolve("copy"), bytes),
                disk);
        for (String name : new String[] {"big", "in", "copy"}) {
            WorkPlace.remove(place.mounted().resolve(name));
        }
        WorkPlace.remove(local);
        WorkPlace.remove(place.local().resolve("out"));
    }

    private static double write(WorkPlace place, Path path, long bytes)
            throws IOException, InterruptedException {
        return place.perSecond(
                1,
                (thread, pace) -> {
                    try (DataFile file = DataFile.open(path, RECORD)) {
                        return file.write(0, bytes, () -> true);
                    }
                });
    }

    private static double read(WorkPlace place, Path path, long bytes)
            throws IOException, InterruptedException {
        return place.perSecond(
                1,
                (thread, pace) -> {
                    try (DataFile file = DataFile.open(path, RECORD)) {
                        return file.read(0, bytes, () -> true);
                    }
                });
    }

    private static double copy(WorkPlace place, Path from, Path to, long bytes)
            throws IOException, InterruptedException {
        return place.perSecond(
                1,
                (thread, pace) -> {
                    Files.copy(from, to);
                    return bytes;
                });
    }
}
