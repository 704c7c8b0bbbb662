package io.cairn.chunk.store.blob;

import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.TargetPaths;
import io.cairn.runtime.Disk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The blobs of a group in order, as their directories named them at one moment. Pages of one
 * listing are served from it, so that the directories are read once. Blobs that came later are not
 * in it; those that went are passed over by whoever looks at them. Immutable.
 */
public final class GroupListing {
    private static final int FIRST = 1;
    private static final int DIRECTORY = 2;

    private final Disk disk;
    private final TargetPaths paths;
    private final int group;
    private final long[] oids;

    /** FIRST, DIRECTORY or both for each object. */
    private final byte[] kinds;

    private GroupListing(Disk disk, TargetPaths paths, int group, long[] oids, byte[] kinds) {
        this.disk = disk;
        this.paths = paths;
        this.group = group;
        this.oids = oids;
        this.kinds = kinds;
    }

    /** Reads the directories of a group. */
    public static GroupListing read(Disk disk, TargetPaths paths, int group) throws IOException {
        List<long[]> found = new ArrayList<>();
        for (String slice : disk.list(paths.group(group))) {
            for (String name : disk.list(paths.group(group).resolve(slice))) {
                Long first = TargetPaths.oidOfFirst(name);
                Long directory = TargetPaths.oidOfDirectory(name);
                if (first != null) {
                    found.add(new long[] {first, FIRST});
                } else if (directory != null) {
                    found.add(new long[] {directory, DIRECTORY});
                }
            }
        }
        found.sort((a, b) -> Long.compare(a[0], b[0]));
        long[] oids = new long[found.size()];
        byte[] kinds = new byte[found.size()];
        int count = 0;
        for (long[] entry : found) {
            if (count > 0 && oids[count - 1] == entry[0]) {
                kinds[count - 1] |= (byte) entry[1];
            } else {
                oids[count] = entry[0];
                kinds[count++] = (byte) entry[1];
            }
        }
        return new GroupListing(
                disk, paths, group, Arrays.copyOf(oids, count), Arrays.copyOf(kinds, count));
    }

    int group() {
        return group;
    }

    /** At most {@code max} blobs after a place. */
    public List<BlobKey> after(long afterOid, long afterIndex, int max) throws IOException {
        List<BlobKey> keys = new ArrayList<>();
        int at = Arrays.binarySearch(oids, afterOid);
        for (int i = at < 0 ? -at - 1 : at; i < oids.length && keys.size() < max; i++) {
            long after = oids[i] == afterOid ? afterIndex : -1;
            if ((kinds[i] & FIRST) != 0 && after < 0) {
                keys.add(new BlobKey(group, oids[i], 0));
            }
            if ((kinds[i] & DIRECTORY) != 0) {
                addIndices(oids[i], Math.max(0, after), keys, max);
            }
        }
        return keys;
    }

    private void addIndices(long oid, long afterIndex, List<BlobKey> keys, int max)
            throws IOException {
        for (long index : indices(disk, paths, group, oid)) {
            if (index > afterIndex && keys.size() < max) {
                keys.add(new BlobKey(group, oid, index));
            }
        }
    }

    /** The chunks of an object from index 1 on, in order. */
    public static long[] indices(Disk disk, TargetPaths paths, int group, long oid)
            throws IOException {
        return disk.list(paths.objectDirectory(group, oid)).stream()
                .filter(GroupListing::isIndex)
                .mapToLong(Long::parseLong)
                .sorted()
                .toArray();
    }

    private static boolean isIndex(String name) {
        return !name.isEmpty()
                && name.length() <= 18
                && name.charAt(0) != '0'
                && name.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    /** The groups that have a directory, in order. */
    public static List<Integer> groups(Disk disk, TargetPaths paths) throws IOException {
        return disk.list(paths.groups()).stream()
                .filter(name -> name.length() <= 9 && name.chars().allMatch(Character::isDigit))
                .map(Integer::valueOf)
                .sorted()
                .toList();
    }
}
