package io.cairn.admin.access;

import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Listing;
import io.cairn.admin.api.Log;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Parameter;
import io.cairn.admin.api.Plan;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import io.cairn.identity.JoinSecurity;
import io.cairn.master.identity.AuthorityRotation;
import io.cairn.master.identity.CertificateIssuer;
import io.cairn.wire.master.Reply;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** {@code /authorities}: who signs certificates, and how the authority is replaced. */
public final class AuthoritiesResource implements Resource {
    private static final String PRESENT = "present";
    private static final String FORMER = "former";

    private static final Shape SHAPE =
            Shape.fields(
                    Field.of("fingerprint", Shape.text(), "SHA-256 of its certificate."),
                    Field.of("state", Shape.choice(List.of(PRESENT, FORMER)), "Whether it signs."),
                    Field.of("expiresAt", Shape.time(), "The end of its certificate."),
                    Field.of(
                            "holders",
                            Shape.items(Shape.text()),
                            "Of a former one: who needs it still, such as mount.laptop7."));

    private final @Nullable CertificateIssuer issuer;

    /**
     * The authorities of a cluster.
     *
     * @param issuer null when the cluster has none
     */
    public AuthoritiesResource(@Nullable CertificateIssuer issuer) {
        this.issuer = issuer;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.of("GET", "/authorities", Role.ADMIN, "Who signs certificates.")
                        .with(Parameter.paging())
                        .answers(Shape.page(SHAPE))
                        .reads(
                                call ->
                                        Listing.page(
                                                call,
                                                all(),
                                                each -> String.valueOf(each.get("fingerprint")),
                                                each -> each)),
                Route.of("POST", "/authorities", Role.ADMIN, "Replaces the authority.")
                        .changes(_ -> rotate()),
                Route.of(
                                "DELETE",
                                "/authorities/former",
                                Role.ADMIN,
                                "Ends the trust in the former authorities.")
                        .changes(_ -> drop()));
    }

    private AuthorityRotation authorities() {
        if (issuer == null) {
            throw Problem.conflict(
                    "This cluster has no certificate authority: it was founded without --tls.");
        }
        return issuer.authorities();
    }

    private List<Map<String, Object>> all() {
        List<Map<String, Object>> all = new ArrayList<>();
        if (issuer != null) {
            AuthorityRotation open = issuer.authorities();
            List<String> carriers = open.carriers();
            for (X509Certificate each : open.authorities().anchors()) {
                boolean isPresent = each.equals(open.authorities().present());
                Map<String, Object> document = Json.map();
                document.put("fingerprint", JoinSecurity.fingerprintOf(each));
                document.put("state", isPresent ? PRESENT : FORMER);
                document.put("expiresAt", each.getNotAfter().toInstant().toString());
                document.put("holders", isPresent ? List.of() : carriers);
                all.add(document);
            }
        }
        return all;
    }

    private Plan rotate() {
        AuthorityRotation open = authorities();
        String refusal = open.refusal();
        if (refusal != null) {
            throw Problem.conflict(refusal);
        }
        String before = JoinSecurity.fingerprintOf(open.authorities().present());
        Plan plan = new Plan(() -> done(open.rotate()));
        plan.change("authority of the cluster", before, "another one");
        return plan.warn(
                "All processes get new certificates by themselves. Those that are off need to run"
                        + " once before the former authority is dropped.");
    }

    private Plan drop() {
        AuthorityRotation open = authorities();
        List<X509Certificate> anchors = open.authorities().anchors();
        if (anchors.size() < 2) {
            throw Problem.conflict("There is no former authority.");
        }
        List<String> carriers = open.carriers();
        if (!carriers.isEmpty()) {
            throw Problem.conflict(
                    ("The former authority is needed by %s: they get new certificates when they"
                                    + " run. Revoke those that do not come back: 'cairn ca revoke'"
                                    + " (masters: 'cairn admin masters remove').")
                            .formatted(String.join(", ", carriers)));
        }
        if (!open.holdsPresent()) {
            throw Problem.conflict(
                    "This master has not the key of the present authority yet. If no living master"
                            + " has it: 'cairn ca rotate' again.");
        }
        Plan plan = new Plan(() -> done(open.dropFormer()));
        for (X509Certificate each : anchors.subList(1, anchors.size())) {
            plan.change("authority " + JoinSecurity.fingerprintOf(each), "trusted", null);
        }
        return plan.warn(
                "Join tokens from before the change are not good any more, and mounts with a"
                        + " password need the new tls/authority.pem of a master.");
    }

    private static Outcome done(CompletableFuture<Reply> change) {
        if (Log.await(change) instanceof Reply.Failure failure) {
            throw Problem.conflict(failure.message());
        }
        return Outcome.done();
    }
}
