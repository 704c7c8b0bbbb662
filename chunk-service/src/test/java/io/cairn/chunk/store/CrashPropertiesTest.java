package io.cairn.chunk.store;

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
    }

    @Property(tries = 400)
    void keepsItsPromisesAcrossCrashes(@ForAll long seed) throws Exception {
        new CrashHistory(seed).run(120, true);
    }
}
