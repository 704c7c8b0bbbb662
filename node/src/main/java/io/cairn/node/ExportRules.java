package io.cairn.node;

import io.cairn.admin.resource.ExportSyntax;
import io.cairn.nfs.export.Export;
import io.cairn.nfs.export.Exports;
import java.util.List;

/** The exports that the gateways of this version take. */
final class ExportRules implements ExportSyntax {
    @Override
    public void check(String line) {
        var _ = Export.parse(line);
    }

    @Override
    public String pathOf(String line) {
        return Export.pathOf(line);
    }

    @Override
    public void check(List<String> paths) {
        Exports.of(paths.stream().map(path -> Export.of(path, List.of())).toList());
    }
}
