package io.cairn.admin.backup;

import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import io.cairn.master.MasterService;
import io.cairn.master.backup.BackupHead;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.StoredState;
import java.util.List;
import java.util.Map;

/**
 * {@code /backup}: what a backup would hold, and the backup itself. The stream is made by {@link
 * BackupStream}, on whichever master is asked; its route stands here for the document.
 */
public final class BackupResource implements Resource {
    public static final String STREAM = "/backup/stream";

    static final String STATE = "/backup";

    private static final Shape SHAPE =
            Shape.fields(
                    Field.of("cluster", Shape.text(), "16 hexadecimal digits."),
                    Field.of("term", Shape.count(), "Of the last log entry."),
                    Field.of("index", Shape.count(), "Of the last log entry."),
                    Field.of("level", Shape.count(), "Protocol version of the cluster."),
                    Field.of("inodes", Shape.count(), "Files, directories and others."));

    private final MasterService master;

    public BackupResource(MasterService master) {
        this.master = master;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.of("GET", STATE, Role.ADMIN, "What a backup of the metadata holds now.")
                        .answers(SHAPE)
                        .reads(_ -> Outcome.of(document())),
                Route.of(
                                "GET",
                                STREAM,
                                Role.ADMIN,
                                "A backup of the metadata, from the master that is asked. It ends"
                                        + " with a block that says so: one without it was cut off.")
                        .answers(Shape.text())
                        .streams("application/octet-stream"));
    }

    private Map<String, Object> document() {
        Namespace namespace = master.namespace();
        Map<String, Object> document = Json.map();
        document.put("cluster", Json.hex(namespace.clusterId()));
        document.put("term", namespace.appliedTerm());
        document.put("index", namespace.appliedIndex());
        document.put("level", namespace.level());
        document.put("inodes", namespace.inodeCount());
        return document;
    }

    /** The head of a backup of a master's state. */
    static BackupHead head(MasterService master, StoredState state, long nowMs, String release) {
        Namespace namespace = master.namespace();
        return new BackupHead(
                namespace.clusterId(),
                state.appliedTerm(),
                state.appliedIndex(),
                nowMs,
                namespace.level(),
                release);
    }
}
