package io.cairn.admin.api;

import java.util.List;

/** A part of the API: some routes that belong together. */
@FunctionalInterface
public interface Resource {
    /** Its routes; asked once. */
    List<Route> routes();
}
