package io.cairn.metadata.classes;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.cluster.PastInode;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Policy.ClassRule;
import io.cairn.cluster.Policy.StorageClass;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.TrashPlace;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.master.JobMutation.ClassMutation;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The storage classes, and the directories and rules that refer to them. Belongs to the apply
 * thread.
 */
public final class ClassTable {
    /** How many classes there may be. */
    static final int MAX_CLASSES = 256;

    /** Longest time in the trash, in seconds: a hundred years. */
    private static final long MAX_TRASH_S = 100L * 366 * 86_400;

    private final Transaction transaction;
    private final Map<String, StorageClass> classes = new TreeMap<>();
    private final Map<Long, String> nameByIno = new HashMap<>();
    private final RuleTable rules;

    /** Reads them from the store. */
    public ClassTable(Store store, Transaction transaction) {
        this.transaction = transaction;
        rules = new RuleTable(store, transaction);
        store.scan(
                Family.META,
                ClassKeys.all(),
                ClassKeys.all(),
                (_, value) -> {
                    StorageClass found = ClassKeys.decode(value);
                    classes.put(found.name(), found);
                    return true;
                });
        store.scan(
                Family.META,
                ClassKeys.directories(),
                ClassKeys.directories(),
                (key, value) -> {
                    nameByIno.put(ClassKeys.inoOf(key), ClassKeys.decodeName(value));
                    return true;
                });
    }

    /** Performs a mutation. */
    public void apply(ClassMutation mutation) {
        switch (mutation) {
            case ClassMutation.SetClass m -> set(m.storageClass(), m.isNew());
            case ClassMutation.RemoveClass m -> remove(m.name());
            case ClassMutation.AssignClass m -> assign(m.ino(), m.name());
            case ClassMutation.AddClassRule m -> add(m.rule(), m.before());
            case ClassMutation.RemoveClassRule m -> rules.remove(m.id());
        }
    }

    /** Whether no directory refers to a class. */
    public boolean areUnused() {
        return nameByIno.isEmpty();
    }

    /** The class that a directory itself refers to, or null. */
    public @Nullable StorageClass at(long ino) {
        String name = nameByIno.get(ino);
        return name == null ? null : classes.get(name);
    }

    /**
     * The policy of a file that is made in a directory.
     *
     * @param name null for one without a name
     */
    public Policy policyIn(Inode directory, @Nullable Name name, int uid, int gid) {
        return policy(new RuleList.Candidate(name, uid, gid), directory, directory.policy());
    }

    /**
     * The policy of a file that is there, as its class wants it now.
     *
     * @param home its directory
     * @param name its name there
     */
    public Policy policyOf(Inode file, Inode home, Name name) {
        Attributes attributes = file.attributes();
        return policy(
                new RuleList.Candidate(name, attributes.uid(), attributes.gid()),
                home,
                file.policy());
    }

    private Policy policy(RuleList.Candidate file, Inode directory, Policy otherwise) {
        ClassRule rule = rules.choose(file, directory);
        StorageClass found = null;
        if (rule != null) {
            found = classes.get(rule.className());
        } else if (!areUnused()) {
            found = above(directory);
        }
        return found == null ? otherwise : found.policy().orElse(otherwise);
    }

    private @Nullable StorageClass above(Inode directory) {
        Inode at = directory;
        StorageClass found = at(at.ino());
        while (found == null && at != null && at.ino() != FileSystem.ROOT_INO) {
            at = transaction.inode(at.parentIno());
            found = at == null ? null : at(at.ino());
        }
        return found;
    }

    private void set(StorageClass changed, boolean isNew) {
        if (!StorageClass.isName(changed.name())) {
            throw new FsException(
                    Errno.EINVAL,
                    "'" + changed.name() + "' is no name of a class: use a-z, 0-9, '.', '-', '_'");
        }
        if (!changed.policy().isPossible() || changed.trashSeconds() > MAX_TRASH_S) {
            throw new FsException(Errno.EINVAL, "impossible class " + changed);
        }
        boolean exists = classes.containsKey(changed.name());
        if (isNew && exists) {
            throw new FsException(
                    Errno.EEXIST, "there is a class '" + changed.name() + "' already");
        }
        if (!isNew && !exists) {
            throw missing(changed.name());
        }
        if (isNew && classes.size() >= MAX_CLASSES) {
            throw new FsException(
                    Errno.ENOSPC, "there are " + MAX_CLASSES + " classes: remove one first");
        }
        classes.put(changed.name(), changed);
        transaction
                .records()
                .put(Family.META, ClassKeys.of(changed.name()), ClassKeys.encode(changed));
    }

    private void remove(String name) {
        if (!classes.containsKey(name)) {
            throw missing(name);
        }
        long users = nameByIno.values().stream().filter(name::equals).count();
        if (users > 0) {
            throw new FsException(
                    Errno.EBUSY, "class '" + name + "' is used by " + users + " directories");
        }
        ClassRule rule = rules.of(name);
        if (rule != null) {
            throw new FsException(Errno.EBUSY, "class '" + name + "' is used by rule " + rule.id());
        }
        classes.remove(name);
        transaction.records().delete(Family.META, ClassKeys.of(name));
    }

    private void assign(long ino, String name) {
        requireDirectory(ino);
        if (name.isEmpty()) {
            unassign(ino);
            return;
        }
        if (!classes.containsKey(name)) {
            throw missing(name);
        }
        nameByIno.put(ino, name);
        transaction
                .records()
                .put(Family.META, ClassKeys.directory(ino), ClassKeys.encodeName(name));
    }

    private void add(ClassRule rule, int before) {
        if (!classes.containsKey(rule.className())) {
            throw missing(rule.className());
        }
        if (rule.below() != ClassRule.EVERYWHERE) {
            requireDirectory(rule.below());
        }
        rules.add(rule, before);
    }

    private void requireDirectory(long ino) {
        PastInode.requireLiving(ino);
        if (TrashPlace.isDirectory(ino)) {
            throw new FsException(Errno.EINVAL, "the trash has no class");
        }
        Inode inode = transaction.inode(ino);
        if (inode == null || inode.attributes().nlink() == 0) {
            throw new FsException(Errno.ESTALE, "inode " + ino + " is gone");
        }
        if (!inode.attributes().isDirectory()) {
            throw new FsException(Errno.ENOTDIR, "inode " + ino + " is not a directory");
        }
    }

    private static FsException missing(String name) {
        return new FsException(Errno.ENOENT, "there is no class '" + name + "'");
    }

    /** A directory goes, and with it its class and the rules below it. */
    public void forget(long ino) {
        rules.forget(ino);
        unassign(ino);
    }

    private void unassign(long ino) {
        if (nameByIno.remove(ino) != null) {
            transaction.records().delete(Family.META, ClassKeys.directory(ino));
        }
    }
}
