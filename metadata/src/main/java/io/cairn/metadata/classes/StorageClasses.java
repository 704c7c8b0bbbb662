package io.cairn.metadata.classes;

import io.cairn.cluster.Inode;
import io.cairn.cluster.Policy.StorageClass;
import io.cairn.fs.FileSystem;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The storage classes in the committed state. Any thread may ask. */
public final class StorageClasses {
    private final View view;
    private final Lock lock;

    /**
     * The class that holds for an inode.
     *
     * @param name of the class
     * @param ino the directory that refers to it
     */
    public record Assignment(String name, long ino) {}

    /** Those of a namespace; the lock keeps its state as it is. */
    public StorageClasses(View view, Lock lock) {
        this.view = view;
        this.lock = lock;
    }

    private <T> T reading(Supplier<T> reader) {
        lock.lock();
        try {
            return reader.get();
        } finally {
            lock.unlock();
        }
    }

    /** All classes, by name. */
    public List<StorageClass> all() {
        return reading(
                () -> {
                    List<StorageClass> found = new ArrayList<>();
                    view.scan(
                            Family.META,
                            ClassKeys.all(),
                            ClassKeys.all(),
                            (_, value) -> found.add(ClassKeys.decode(value)));
                    return found;
                });
    }

    /** All directories that refer to a class themselves, by number. */
    public List<Assignment> assignments() {
        return reading(
                () -> {
                    List<Assignment> found = new ArrayList<>();
                    view.scan(
                            Family.META,
                            ClassKeys.directories(),
                            ClassKeys.directories(),
                            (key, value) ->
                                    found.add(
                                            new Assignment(
                                                    ClassKeys.decodeName(value),
                                                    ClassKeys.inoOf(key))));
                    return found;
                });
    }

    /** What holds for an inode: that of the nearest directory above it or itself; or null. */
    public @Nullable Assignment of(long ino) {
        lock.lock();
        try {
            long at = ino;
            while (true) {
                byte[] name = view.get(Family.META, ClassKeys.directory(at));
                if (name != null) {
                    return new Assignment(ClassKeys.decodeName(name), at);
                }
                Inode inode = at == FileSystem.ROOT_INO ? null : view.inode(at);
                if (inode == null || inode.parentIno() == 0) {
                    return null;
                }
                at = inode.parentIno();
            }
        } finally {
            lock.unlock();
        }
    }
}
