package io.cairn.admin.resource;

import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import java.util.List;

/** {@code /openapi.json}: what the API offers, made of the routes themselves. */
public final class DocumentResource implements Resource {
    private final List<Route> all;
    private final String version;

    /**
     * The document of routes.
     *
     * @param all complete when the first request comes
     */
    public DocumentResource(List<Route> all, String version) {
        this.all = all;
        this.version = version;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.of("GET", "/openapi.json", Role.READ, "This API as an OpenAPI 3 document.")
                        .answers(new Shape.Anything())
                        .reads(_ -> Outcome.of(ApiDocument.of(all, version))));
    }
}
