package io.cairn.metadata.inode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.fs.Name;
import io.cairn.metadata.Bench;
import io.cairn.metadata.ForwardingStore;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.MemoryStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class YoungDirectoriesTest {
    private static final Name A = Name.of("a");
    private static final Name B = Name.of("b");

    private final YoungDirectories young = new YoungDirectories(5);

    @Test
    void onlyWhatWasMadeHereIsKnown() {
        assertFalse(young.lacks(7, A));
        young.put(7, A);
        assertFalse(young.lacks(7, B));
        young.made(8);
        assertTrue(young.lacks(8, A));
        young.put(8, A);
        assertFalse(young.lacks(8, A));
        assertTrue(young.lacks(8, B));
        young.removed(8);
        assertFalse(young.lacks(8, B));
    }

    @Test
    void theOldestDirectoryIsForgottenWhenThereAreTooManyNames() {
        young.made(1);
        young.made(2);
        young.put(1, A);
        young.put(2, A);
        young.put(2, A);
        young.put(2, B);
        assertTrue(young.lacks(1, B));
        young.put(1, B);
        assertFalse(young.lacks(1, Name.of("c")));
        assertTrue(young.lacks(2, Name.of("c")));
        for (int i = 0; i < 3; i++) {
            young.put(2, Name.of("more" + i));
        }
        assertFalse(young.lacks(2, Name.of("c")));
    }

    /** Counts the looks for names. */
    private static final class Counting extends ForwardingStore {
        private int looks;

        Counting(MemoryStore memory) {
            super(memory);
        }

        @Override
        public byte @Nullable [] get(Family family, byte[] key) {
            looks += family == Family.DENTRY ? 1 : 0;
            return super.get(family, key);
        }
    }

    @Test
    void newNamesOfNewDirectoriesAreNotLookedFor() {
        Bench bench = new Bench();
        Counting store = new Counting(bench.store);
        bench.namespace = new Namespace(store);
        long directory = bench.mkdir(Bench.ROOT, "new").ino();
        int before = store.looks;
        bench.create(directory, "a");
        assertEquals(before, store.looks);
        bench.fails(Errno.EEXIST, Bench.creation(directory, "a", ""));
        assertTrue(store.looks > before);
        bench.namespace = new Namespace(store);
        before = store.looks;
        bench.create(directory, "b");
        assertTrue(store.looks > before, "another master knows nothing");
        bench.verify();
    }
}
