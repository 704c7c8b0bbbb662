package io.cairn.chunk.store;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.chunk.store.seal.Rings;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Random histories against a model: every acknowledged byte survives a kill, every flushed one
 * survives power loss, and no byte is ever read that was not written.
 */
class CrashPropertiesTest {
    @Property(tries = 20)
    void agreesWithTheModelWithoutCrashes(@ForAll long seed) throws Exception {
        new CrashHistory(seed).run(150, false);
    }

    @Example
    void historiesThatOnceFailed() throws Exception {
        for (long seed : new long[] {-348, 595, 3051, 15, 44, 319, 5298, 5607, 278123}) {
            new CrashHistory(seed).run(120, true);
        }
        new CrashHistory(-17348628968621L, true).run(120, true);
    }

    @Property(tries = 400)
    void keepsItsPromisesAcrossCrashes(@ForAll long seed) throws Exception {
        new CrashHistory(seed).run(120, true);
    }

    @Property(tries = 100)
    void keepsItsPromisesWithPackedBlobs(@ForAll long seed) throws Exception {
        new CrashHistory(seed, true).run(120, true);
    }

    @Property(tries = 40)
    void keepsItsPromisesWithEncryptedBlobs(@ForAll long seed) throws Exception {
        new CrashHistory(seed, false, Rings.of(1)).run(120, true);
    }

    @Example
    void keepsItsPromisesWithBlobsThatArePackedAndEncrypted() throws Exception {
        for (long seed = 0; seed < 15; seed++) {
            new CrashHistory(seed, true, Rings.of(1)).run(120, true);
        }
    }

    @Example
    void packsInManyHistories() throws Exception {
        int packed = 0;
        for (long seed = 0; seed < 10; seed++) {
            CrashHistory history = new CrashHistory(seed, true);
            history.run(120, true);
            packed += history.packed();
        }
        assertTrue(packed > 20, "packed " + packed);
    }
}
