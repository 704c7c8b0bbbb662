package io.cairn.admin.classes;

import io.cairn.admin.api.Call;
import io.cairn.admin.api.Field;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Plan;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Records;
import io.cairn.admin.api.Shape;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Policy.StorageClass;
import io.cairn.cluster.Pool;
import io.cairn.master.MasterService;
import io.cairn.master.access.ClassKey;
import io.cairn.master.access.KeyNumbers;
import io.cairn.metadata.cluster.AdminRecord;
import io.cairn.runtime.Clock;
import io.cairn.seal.MasterKey;
import io.cairn.seal.WrappedKey;
import io.cairn.wire.master.RecordChange;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Makes the keys of encrypted storage classes, and drops them. Thread-safe. */
public final class ClassKeys {
    private static final String ENCRYPTION = "encryption";

    /** What a class says whose chunks are not to be encrypted, whatever is above. */
    private static final String NONE = "none";

    /** Stands for a key that is made when the change of the class is carried out. */
    private static final int NEW_KEY = Integer.MAX_VALUE;

    /** The field of a class that says whether it is encrypted. */
    static final Field FIELD =
            Field.maybe(
                    ENCRYPTION,
                    Shape.choice(List.of(Pool.Kind.CIPHER, NONE)),
                    "Of the chunks of new files on the disks of servers; null: as the directory.");

    private final MasterService master;
    private final Records records;
    private final @Nullable MasterKey masterKey;
    private final Clock clock;
    private final RandomGenerator random;

    /**
     * The keys of a cluster.
     *
     * @param masterKey wraps them; null when this master has none
     * @param ground of the master: its clock, and random numbers that nobody can guess
     */
    public ClassKeys(
            MasterService master,
            Records records,
            @Nullable MasterKey masterKey,
            MasterService.Context ground) {
        this.master = master;
        this.records = records;
        this.masterKey = masterKey;
        this.clock = ground.clock();
        this.random = ground.random();
    }

    /** The key that a body asks for: none, the one there is, or a new one; 0 = it does not say. */
    static int asked(Call call, int before) {
        if (!call.body().containsKey(ENCRYPTION)) {
            return before;
        }
        String text = call.bodyText(ENCRYPTION);
        if (text == null) {
            return 0;
        }
        return text.equals(NONE) ? Policy.NO_KEY : before > 0 ? before : NEW_KEY;
    }

    /** Says in a document whether a class is encrypted. */
    static void put(Map<String, Object> document, Policy policy) {
        document.put(ENCRYPTION, policy.key() == Policy.NO_KEY ? NONE : policy.cipher());
    }

    /**
     * Makes a change of a class or of its keys. One is made at a time, so that none takes back what
     * another one has just said, and what it depends on stays as it is. Blocks.
     */
    synchronized Outcome alone(Supplier<Outcome> change) {
        return change.get();
    }

    /** Tells in a plan that pools have to come. */
    static void warn(Plan plan, ClusterMap map, Policy policy) {
        if (policy.key() > 0 && map.youngestPool(1, policy.kind()) == null) {
            plan.warn(
                    "There is no pool with its key yet: it is made in some seconds, and files of"
                            + " the class are written from then on.");
        }
    }

    /** The same for another key of a class. */
    static void warnOfNew(Plan plan, ClusterMap map, Policy policy) {
        warn(plan, map, policy.withKey(NEW_KEY));
    }

    static List<Integer> numbers(List<ClassKey> some) {
        return some.stream().map(key -> key.wrapped().number()).toList();
    }

    /** As {@link #require}, if a class is to get a new key. */
    void requireFor(StorageClass wanted) {
        if (wanted.policy().key() == NEW_KEY) {
            require();
        }
    }

    /** The same class with a key of its own, if it is to have a new one. Blocks. */
    StorageClass given(StorageClass wanted) {
        return wanted.policy().key() == NEW_KEY ? withNew(wanted) : wanted;
    }

    /** The same class with a new key. Blocks. */
    StorageClass withNew(StorageClass before) {
        return new StorageClass(
                before.name(), before.policy().withKey(make(before.name())), before.trashSeconds());
    }

    /** 409 while a class that is to be removed has keys. */
    void requireNone(String className) {
        if (!of(className).isEmpty()) {
            throw Problem.conflict(
                    ("Class '%s' has keys, with which files may be encrypted: first 'cairn class"
                                    + " set %s --encryption none', 'cairn class apply DIR' where"
                                    + " there are files, and 'cairn class keys drop-former %s'."
                                    + " ('cairn class keys shred %s' drops them with the contents"
                                    + " of all files that they encrypt.)")
                            .formatted(className, className, className, className));
        }
    }

    private List<ClassKey> all() {
        return records.all(ClassKey.PREFIX).stream().map(ClassKey::of).toList();
    }

    /** The keys that were made for a class and not dropped, in the order of their numbers. */
    List<ClassKey> of(String className) {
        return all().stream()
                .filter(key -> key.className().equals(className) && !key.wrapped().isDropped())
                .toList();
    }

    /**
     * The master key.
     *
     * @throws Problem 409 when this master has none, or not the one of the keys that there are
     */
    MasterKey require() {
        MasterKey known = masterKey;
        if (known == null) {
            throw Problem.conflict(
                    "The leading master has no master key: start all masters and chunk servers with"
                            + " --master-key-file FILE or --master-key-command COMMAND.");
        }
        for (ClassKey key : all()) {
            if (!key.wrapped().isDropped()) {
                try {
                    known.unwrap(key.wrapped());
                } catch (GeneralSecurityException e) {
                    throw Problem.conflict(
                            "The master key of the leading master is not the one of key %d: start"
                                            .formatted(key.wrapped().number())
                                    + " the master with the right one.");
                }
            }
        }
        return known;
    }

    /** Makes a key for a class; its number. Blocks until it is on stable media. */
    private int make(String className) {
        MasterKey wrapping = require();
        int number = KeyNumbers.last(master.namespace()) + 1;
        if (number > WrappedKey.MAX_NUMBER) {
            throw Problem.conflict("There were 65535 keys: no more can be made.");
        }
        byte[] secret = new byte[MasterKey.KEY_BYTES];
        WrappedKey wrapped;
        synchronized (random) {
            random.nextBytes(secret);
            wrapped = wrapping.wrap(number, secret, random);
        }
        ClassKey made = new ClassKey(wrapped, className, clock.wallNs() / 1_000_000);
        records.change(new RecordChange(ClassKey.recordKey(number), 0, made.encode()));
        return number;
    }

    /** Numbers of all keys that were not dropped. */
    List<Integer> present() {
        return numbers(all().stream().filter(key -> !key.wrapped().isDropped()).toList());
    }

    /** Wraps all keys anew with the present master key. Blocks until that is on stable media. */
    void rewrap() {
        MasterKey wrapping = require();
        List<RecordChange> changes = new ArrayList<>();
        for (AdminRecord record : records.all(ClassKey.PREFIX)) {
            ClassKey key = ClassKey.of(record);
            if (!key.wrapped().isDropped()) {
                // Its version, too: a key that is dropped meanwhile stays so.
                changes.add(rewrapped(wrapping, key, record.version()));
            }
        }
        records.change(changes);
    }

    private RecordChange rewrapped(MasterKey wrapping, ClassKey key, long version) {
        int number = key.wrapped().number();
        String name = ClassKey.recordKey(number);
        try {
            byte[] secret = wrapping.unwrap(key.wrapped());
            WrappedKey wrapped;
            synchronized (random) {
                wrapped = wrapping.wrap(number, secret, random);
            }
            ClassKey next = new ClassKey(wrapped, key.className(), key.madeMs());
            return new RecordChange(name, version, next.encode());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(key + " was just opened", e);
        }
    }

    /** Drops keys for good: what they encrypt cannot be read any more. */
    void drop(List<ClassKey> keys) {
        records.change(
                keys.stream()
                        .map(
                                key -> {
                                    int number = key.wrapped().number();
                                    String name = ClassKey.recordKey(number);
                                    ClassKey dropped =
                                            new ClassKey(
                                                    WrappedKey.dropped(number),
                                                    key.className(),
                                                    key.madeMs());
                                    return new RecordChange(
                                            name, records.version(name), dropped.encode());
                                })
                        .toList());
    }

    /** Whether contents of files may be encrypted with a key: a pool with it is in use. */
    boolean isUsed(ClassKey key) {
        Set<Integer> used = master.namespace().usedPools();
        for (Pool pool : master.namespace().clusterMap().pools()) {
            if (pool.key() == key.wrapped().number() && used.contains(pool.id())) {
                return true;
            }
        }
        return false;
    }
}
