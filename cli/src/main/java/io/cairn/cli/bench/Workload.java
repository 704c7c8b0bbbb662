package io.cairn.cli.bench;

import java.io.IOException;

/** A kind of work whose speed is measured. */
interface Workload {
    /** Does it in {@code place} and tells each figure to {@code results}. */
    void run(WorkPlace place, Results results) throws IOException, InterruptedException;
}
