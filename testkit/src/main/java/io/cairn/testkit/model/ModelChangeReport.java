package io.cairn.testkit.model;

import io.cairn.fs.AttributeStamp;
import io.cairn.fs.Caller;
import io.cairn.fs.ChangeListener;

/** Tells the witness of a caller what became of some nodes from its making to its closing. */
final class ModelChangeReport implements AutoCloseable {
    private final Caller caller;
    private final ModelNode[] nodes;
    private final AttributeStamp[] before;

    ModelChangeReport(Caller caller, ModelNode... nodes) {
        this.caller = caller;
        this.nodes = nodes;
        this.before = new AttributeStamp[nodes.length];
        for (int i = 0; i < nodes.length; i++) {
            before[i] = AttributeStamp.of(nodes[i].attributes());
        }
    }

    @Override
    public void close() {
        ChangeListener witness = caller.witness();
        for (int i = 0; witness != null && i < nodes.length; i++) {
            witness.saw(before[i], nodes[i].attributes());
        }
    }
}
