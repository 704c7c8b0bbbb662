/**
 * The administration of a cluster over REST: {@code /api/v1} on every master.
 *
 * <p><b>Adding to it.</b> A {@link io.cairn.admin.api.Resource} gives {@link
 * io.cairn.admin.api.Route}s; {@link io.cairn.admin.AdminApi} is told of it. A route says method,
 * address, the role it needs, parameters, the {@link io.cairn.admin.api.Shape} of body and answer,
 * and what does it:
 *
 * <pre>
 *   Route.of("GET", "/pools/{id}", Role.READ, "A pool.")
 *           .answers(Shape.fields(Field.of("id", Shape.count(), "Its number."), ...))
 *           .reads(call -&gt; Outcome.of(pool(call.number("id"))));
 *
 *   Route.of("DELETE", "/sessions/{id}", Role.OPERATE, "Ends a session.")
 *           .changes(
 *                   c -&gt; new Plan(() -&gt; evict(session)).change("session 1", "open", null));
 * </pre>
 *
 * <p>The {@link io.cairn.admin.api.Router} does the rest, the same for all. It finds the route
 * (404, 405), asks the {@link io.cairn.admin.api.Authenticator} for the caller (401, 403, 429), and
 * checks parameters and body against the shapes (400, 406, 415). It runs the action on a thread
 * that may block and tags what is read ({@code ETag}, 304). It tells plans ({@code ?plan=true}),
 * holds {@code If-Match} against them (412) and writes changes to the audit log. The OpenAPI
 * document is made of the same routes, so it cannot forget one. Errors are thrown as {@link
 * io.cairn.admin.api.Problem}; what the log throws becomes 503.
 *
 * <p><b>A change</b> is decided first and done later: the action of a changing route checks
 * everything and returns a {@link io.cairn.admin.api.Plan}, whose own action does it, all or
 * nothing. State that must not be lost is kept in small records of the replicated state ({@link
 * io.cairn.admin.api.Records}), changed by compare and set.
 *
 * <p><b>Where.</b> Actions run on the leader only. A master that does not lead hands the request on
 * through the port at which clients and chunk servers reach the leader, so that admin addresses
 * need not reach each other, and may be those of loopback.
 */
@NullMarked
package io.cairn.admin;

import org.jspecify.annotations.NullMarked;
