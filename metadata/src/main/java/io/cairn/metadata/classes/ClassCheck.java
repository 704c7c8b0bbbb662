package io.cairn.metadata.classes;

import io.cairn.cluster.Inode;
import io.cairn.cluster.Policy.ClassRule;
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
        byte[] rules = view.get(Family.META, ClassKeys.rules());
        if (rules != null) {
            ClassKeys.decodeRules(rules).rules().forEach(each -> check(names, each));
        }
    }

    private void check(Set<String> names, ClassRule rule) {
        if (!names.contains(rule.className())) {
            violated.accept(
                    "C1 rule %d refers to class '%s', which is gone"
                            .formatted(rule.id(), rule.className()));
        }
        if (rule.below() != ClassRule.EVERYWHERE && !isDirectory(rule.below())) {
            violated.accept(
                    "C1 rule %d is for inode %d, which is no directory"
                            .formatted(rule.id(), rule.below()));
        }
    }

    private boolean isDirectory(long ino) {
        Inode inode = view.inode(ino);
        return inode != null && inode.attributes().isDirectory() && inode.attributes().nlink() > 0;
    }

    private void check(Set<String> names, long ino, String name) {
        if (!names.contains(name)) {
            violated.accept("C1 inode " + ino + " refers to class '" + name + "', which is gone");
        }
        if (!isDirectory(ino)) {
            violated.accept("C1 inode " + ino + " has a class and is no directory");
        }
    }
}
