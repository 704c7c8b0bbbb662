package io.cairn.metadata.classes;

import io.cairn.cluster.Inode;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Policy.ClassRule;
import io.cairn.cluster.Policy.StorageClass;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The storage classes in the committed state. Any thread may ask. */
public final class StorageClasses {
    private final View view;
    private final Lock lock;
    private final BiFunction<View, Long, byte[]> dentries;

    /**
     * The class that holds for an inode.
     *
     * @param name of the class
     * @param ino the directory that refers to it; 0 when a rule chooses it
     * @param rule that chooses it; null when a directory refers to it
     */
    public record Assignment(String name, long ino, @Nullable ClassRule rule) {
        /** By a directory. */
        public Assignment(String name, long ino) {
            this(name, ino, null);
        }
    }

    /**
     * Those of a namespace.
     *
     * @param lock keeps its state as it is
     * @param dentries finds the key of the name that an inode has at home
     */
    public StorageClasses(View view, Lock lock, BiFunction<View, Long, byte[]> dentries) {
        this.view = view;
        this.lock = lock;
        this.dentries = dentries;
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

    /** What the classes say of their files. */
    public Set<Policy> policies() {
        Set<Policy> found = new LinkedHashSet<>();
        all().forEach(each -> found.add(each.policy()));
        return found;
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

    /** The rules in their order. */
    public List<ClassRule> rules() {
        return reading(this::ruleList).rules();
    }

    private RuleList ruleList() {
        byte[] value = view.get(Family.META, ClassKeys.rules());
        return value == null ? RuleList.NONE : ClassKeys.decodeRules(value);
    }

    /**
     * What holds for an inode: the first rule, for a file; or else the class of the nearest
     * directory above it or itself; or null.
     */
    public @Nullable Assignment of(long ino) {
        lock.lock();
        try {
            ClassRule rule = ruleOf(ino);
            return rule == null ? ofDirectory(ino) : new Assignment(rule.className(), 0, rule);
        } finally {
            lock.unlock();
        }
    }

    private @Nullable ClassRule ruleOf(long ino) {
        RuleList rules = ruleList();
        Inode file = rules.isEmpty() ? null : view.inode(ino);
        if (file == null || !file.attributes().isFile()) {
            return null;
        }
        RuleList.Candidate candidate =
                new RuleList.Candidate(
                        nameOf(file), file.attributes().uid(), file.attributes().gid());
        return rules.choose(candidate, () -> above(file));
    }

    /** The name at home; null without one. */
    private @Nullable Name nameOf(Inode inode) {
        return inode.attributes().nlink() == 0
                ? null
                : Keys.nameOf(dentries.apply(view, inode.ino()));
    }

    private Set<Long> above(Inode file) {
        Set<Long> found = new HashSet<>();
        Inode at = file;
        while (at != null && at.ino() != FileSystem.ROOT_INO && found.add(at.parentIno())) {
            at = view.inode(at.parentIno());
        }
        return found;
    }

    private @Nullable Assignment ofDirectory(long ino) {
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
    }
}
