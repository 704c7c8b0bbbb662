/**
 * The admin API from the side of its caller: requests over HTTP with a token and time limits, and
 * documents as tables and sheets that fit a terminal.
 *
 * <p>{@link io.cairn.cli.api.ApiClient} carries {@link io.cairn.cli.api.ApiRequest}s, which name
 * their route as the OpenAPI document does ({@code GET /servers/{name}}), and turns every problem
 * into an {@link io.cairn.cli.api.ApiException} of one line. {@link io.cairn.cli.api.Table} and
 * {@link io.cairn.cli.api.Sheet} know nothing of particular documents: the names of fields end with
 * their units ({@code capacityBytes}, {@code leftMs}, {@code orderedAt}), and {@link
 * io.cairn.cli.api.Values} goes by these.
 */
@NullMarked
package io.cairn.cli.api;

import org.jspecify.annotations.NullMarked;
