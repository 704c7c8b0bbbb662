package io.cairn.cluster;

/**
 * What may fail as a whole, from the smallest to the largest. A server without a label is a rack,
 * and a rack without one is a zone, of its own. Racks of the same name in two zones are two.
 */
public enum FailureDomain {
    /** A target, normally one disk. */
    TARGET,
    /** A chunk server with all of its targets. */
    SERVER,
    /** Servers of one label {@code rack}. */
    RACK,
    /** Servers of one label {@code zone}. */
    ZONE;

    /** The one that a target is in: targets with equal words fail together. */
    public String of(ClusterMap map, int targetId) {
        ChunkServer server = map.serverOfTarget(targetId);
        if (this == TARGET || server == null) {
            return "target " + targetId;
        }
        return of(server);
    }

    private String of(ChunkServer server) {
        String rack = server.labels().get(Labels.RACK);
        String zone = server.labels().get(Labels.ZONE);
        String own = "server " + server.id();
        String within = zone == null ? "" : "zone " + zone + " ";
        String inRack = rack == null ? own : within + "rack " + rack;
        return switch (this) {
            case TARGET, SERVER -> own;
            case RACK -> inRack;
            case ZONE -> zone == null ? inRack : "zone " + zone;
        };
    }
}
