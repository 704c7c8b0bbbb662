package io.cairn.fuse.loop;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * How often each inode is open in this mount, and which owners may have locks by fcntl(2) on it,
 * taken through which handles. A process loses its locks when it closes any descriptor of the file,
 * which the kernel tells with the owner. Of locks that belong to an open file description it tells
 * nothing at the end: their owner is one that never closed a descriptor before the handle itself
 * goes. Thread-safe.
 */
public final class OpenInodes {
    /** Changed and read only while the map computes its entry. */
    private static final class Use {
        int count;
        final Map<Long, Set<Long>> lockers = new HashMap<>(2);
    }

    private final ConcurrentHashMap<Long, Use> uses = new ConcurrentHashMap<>();

    /** One more handle. */
    public void opened(long ino) {
        uses.compute(
                ino,
                (key, known) -> {
                    Use use = known == null ? new Use() : known;
                    use.count++;
                    return use;
                });
    }

    /** One handle less; whether it was the last. */
    public boolean closed(long ino) {
        Use left = uses.computeIfPresent(ino, (key, use) -> --use.count == 0 ? null : use);
        return left == null;
    }

    /** An owner asks for a lock through a handle, or was granted one. */
    public void locked(long ino, long owner, long handle) {
        uses.computeIfPresent(
                ino,
                (key, use) -> {
                    use.lockers.computeIfAbsent(owner, _ -> new HashSet<>(2)).add(handle);
                    return use;
                });
    }

    /** Whether an owner may have locks. */
    public boolean isLocked(long ino, long owner) {
        return handles(ino, owner, false) != null;
    }

    /** Whether an owner may have locks that were taken through another handle. */
    public boolean isLockedBeside(long ino, long owner, long handle) {
        Set<Long> handles = handles(ino, owner, false);
        return handles != null && (handles.size() > 1 || !handles.contains(handle));
    }

    /** The owner loses its locks; whether it may have had some. */
    public boolean unlocked(long ino, long owner) {
        return handles(ino, owner, true) != null;
    }

    private @Nullable Set<Long> handles(long ino, long owner, boolean forgets) {
        List<Set<Long>> found = new ArrayList<>(1);
        uses.computeIfPresent(
                ino,
                (key, use) -> {
                    Set<Long> handles =
                            forgets ? use.lockers.remove(owner) : use.lockers.get(owner);
                    if (handles != null) {
                        found.add(Set.copyOf(handles));
                    }
                    return use;
                });
        return found.isEmpty() ? null : found.getFirst();
    }

    /** A handle goes: the owners that may have locks which they took through this one only. */
    public List<Long> ownersOnlyOf(long ino, long handle) {
        List<Long> owners = new ArrayList<>(0);
        uses.computeIfPresent(
                ino,
                (key, use) -> {
                    use.lockers.forEach(
                            (owner, handles) -> {
                                if (handles.remove(handle) && handles.isEmpty()) {
                                    owners.add(owner);
                                }
                            });
                    owners.forEach(use.lockers::remove);
                    return use;
                });
        return owners;
    }

    /** Whether any handle is open. */
    public boolean isOpen(long ino) {
        return uses.containsKey(ino);
    }
}
