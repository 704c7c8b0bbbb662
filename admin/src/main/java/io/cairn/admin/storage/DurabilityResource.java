package io.cairn.admin.storage;

import io.cairn.admin.api.Call;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.resource.TreePath;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.PlacementGroup;
import io.cairn.master.MasterGroup;
import io.cairn.master.MasterService;
import io.cairn.master.cluster.ServerStatus;
import io.cairn.metadata.Namespace;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** {@code /durability}: which failures lose nothing now. */
public final class DurabilityResource implements Resource {
    private final MasterGroup masters;
    private final MasterService master;

    /** Of the chunk servers and masters of a cluster. */
    public DurabilityResource(MasterGroup masters, MasterService master) {
        this.masters = masters;
        this.master = master;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.of(
                                "GET",
                                "/durability/{path*}",
                                Role.READ,
                                "Which failures lose nothing now, of a tree or, without a path,"
                                        + " of everything.")
                        .answers(Durability.SHAPE)
                        .reads(this::durability));
    }

    private Outcome durability(Call call) {
        Namespace namespace = master.namespace();
        ClusterMap map = namespace.clusterMap();
        boolean isAll = call.bytes("path").length == 0;
        TreePath path = isAll ? null : TreePath.find(namespace, call.bytes("path"));
        TreeGroups tree = path == null ? null : TreeGroups.of(namespace, map, path.inode());
        Collection<PlacementGroup> groups =
                tree == null
                        ? map.groups().stream()
                                .filter(each -> namespace.usedPools().contains(each.poolId()))
                                .toList()
                        : tree.groups();
        Map<String, Object> document =
                new Durability(map, ServerStatus.healthy(master.servers().status()), groups)
                        .document();
        document.put("path", path == null ? null : path.text());
        document.put("masters", spareMasters());
        document.put("complete", tree == null || tree.isComplete());
        return Outcome.of(document);
    }

    /** How many more masters may fail before no majority is left. */
    private long spareMasters() {
        List<MasterGroup.Standing> all = masters.masters();
        long absent = all.stream().filter(MasterGroup.Standing::isAbsent).count();
        return Math.max(0, (all.size() - 1) / 2 - absent);
    }
}
