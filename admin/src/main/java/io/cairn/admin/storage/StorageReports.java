package io.cairn.admin.storage;

import io.cairn.master.MasterService;
import io.cairn.master.cluster.ServerStatus;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import java.util.ArrayList;
import java.util.List;

/** What chunk servers told last about their targets. */
final class StorageReports {
    private StorageReports() {}

    /** Of targets that work, on servers that answer. */
    static List<TargetReport> healthy(MasterService master) {
        List<TargetReport> reports = new ArrayList<>();
        for (ServerStatus server : master.servers().status()) {
            for (TargetReport report : server.targets()) {
                if (server.alive() && report.healthy()) {
                    reports.add(report);
                }
            }
        }
        return reports;
    }
}
