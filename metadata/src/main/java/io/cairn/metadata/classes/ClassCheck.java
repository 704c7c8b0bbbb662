package io.cairn.metadata.classes;

import io.cairn.cluster.Inode;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Checks the storage classes: what refers to one is a directory, and the class is there. The
 * invariant is called C1.
 */
public final class ClassCheck {
    private final View view;
    private final Consumer<String> violated;

    public ClassCheck(View view, Consumer<String> violated) {
        this.view = view;
        this.violated = violated;
    }

    /** Checks all that refer to a class. */
    public void check() {
        Set<String> names = new HashSet<>();
        view.scan(
                Family.META,
                ClassKeys.all(),
                ClassKeys.all(),
                (_, value) -> names.add(ClassKeys.decode(value).name()));
        view.scan(
                Family.META,
                ClassKeys.directories(),
                ClassKeys.directories(),
                (key, value) -> {
                    check(names, ClassKeys.inoOf(key), ClassKeys.decodeName(value));
                    return true;
                });
    }

    private void check(Set<String> names, long ino, String name) {
        if (!names.contains(name)) {
            violated.accept("C1 inode " + ino + " refers to class '" + name + "', which is gone");
        }
        Inode inode = view.inode(ino);
        if (inode == null || !inode.attributes().isDirectory() || inode.attributes().nlink() == 0) {
            violated.accept("C1 inode " + ino + " has a class and is no directory");
        }
    }
}
