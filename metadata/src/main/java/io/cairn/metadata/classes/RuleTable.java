package io.cairn.metadata.classes;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Policy.ClassRule;
import io.cairn.fs.FileSystem;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The rules that choose the classes of new files. Belongs to the apply thread. */
final class RuleTable {
    private final Transaction transaction;
    private RuleList list;

    /** Reads them from the store. */
    RuleTable(Store store, Transaction transaction) {
        this.transaction = transaction;
        byte[] value = store.get(Family.META, ClassKeys.rules());
        list = value == null ? RuleList.NONE : ClassKeys.decodeRules(value);
    }

    /** The first rule that holds for a file of a directory, or null. */
    @Nullable ClassRule choose(RuleList.Candidate file, Inode directory) {
        return list.isEmpty() ? null : list.choose(file, () -> above(directory));
    }

    private Set<Long> above(Inode directory) {
        Set<Long> found = new HashSet<>();
        Inode at = directory;
        while (at != null && found.add(at.ino()) && at.ino() != FileSystem.ROOT_INO) {
            at = transaction.inode(at.parentIno());
        }
        return found;
    }

    /** A rule that chooses a class, or null. */
    @Nullable ClassRule of(String className) {
        for (ClassRule each : list.rules()) {
            if (each.className().equals(className)) {
                return each;
            }
        }
        return null;
    }

    /**
     * Adds a rule whose class and directory are there.
     *
     * @param before the number of the rule that it goes before; 0 for the end
     * @throws FsException EINVAL, EEXIST, ENOSPC, ENOENT
     */
    void add(ClassRule asked, int before) {
        requirePossible(asked);
        List<ClassRule> rules = new ArrayList<>(list.rules());
        if (rules.size() >= RuleList.MAX_RULES) {
            throw new FsException(
                    Errno.ENOSPC, "there are " + RuleList.MAX_RULES + " rules: remove one first");
        }
        int last = 0;
        int place = before == 0 ? rules.size() : -1;
        for (int i = 0; i < rules.size(); i++) {
            ClassRule each = rules.get(i);
            last = Math.max(last, each.id());
            place = each.id() == before ? i : place;
            if (each.isAboutTheSame(asked)) {
                throw new FsException(
                        Errno.EEXIST, "rule " + each.id() + " is about the same files: remove it");
            }
        }
        if (place < 0) {
            throw missing(before);
        }
        rules.add(place, asked.withId(last + 1));
        keep(rules);
    }

    private static void requirePossible(ClassRule asked) {
        if (!asked.saysSomething()) {
            throw new FsException(Errno.EINVAL, "a rule is about names, an owner or a group");
        }
        if (!asked.pattern().isEmpty()) {
            try {
                NamePattern.of(asked.pattern());
            } catch (IllegalArgumentException e) {
                throw new FsException(Errno.EINVAL, String.valueOf(e.getMessage()));
            }
        }
    }

    /** Removes a rule; ENOENT. */
    void remove(int id) {
        if (!removeIf(each -> each.id() == id)) {
            throw missing(id);
        }
    }

    /** A directory goes, and its rules with it. */
    void forget(long ino) {
        removeIf(each -> each.below() == ino);
    }

    private boolean removeIf(Predicate<ClassRule> condition) {
        if (list.rules().stream().noneMatch(condition)) {
            return false;
        }
        List<ClassRule> rules = new ArrayList<>(list.rules());
        rules.removeIf(condition);
        keep(rules);
        return true;
    }

    private void keep(List<ClassRule> rules) {
        list = new RuleList(rules);
        if (rules.isEmpty()) {
            transaction.records().delete(Family.META, ClassKeys.rules());
        } else {
            transaction.records().put(Family.META, ClassKeys.rules(), ClassKeys.encode(list));
        }
    }

    private static FsException missing(int id) {
        return new FsException(Errno.ENOENT, "there is no rule " + id);
    }
}
