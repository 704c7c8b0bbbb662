package io.cairn.admin.resource;

import io.cairn.admin.api.Call;
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
import io.cairn.base.FsException;
import io.cairn.base.Spelling;
import io.cairn.identity.JoinToken;
import io.cairn.identity.Subject;
import io.cairn.master.MasterGroup;
import io.cairn.master.MasterService;
import io.cairn.master.identity.CertificateIssuer;
import io.cairn.master.identity.Certified;
import io.cairn.master.identity.Invitation;
import io.cairn.master.identity.Invitation.Holder;
import io.cairn.net.Principal;
import io.cairn.wire.master.Reply;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * {@code /certificates}: the processes that may speak in the cluster, and those that are invited to
 * join it. A join token is told once, when it is made.
 */
public final class CertificatesResource implements Resource {
    private static final Duration STANDARD_LIFE = Duration.ofHours(1);
    private static final int MAX_LISTED = 50;
    private static final Duration MAX_LIFE = Duration.ofDays(30);

    private static final Field[] COMMON = {
        Field.of("id", Shape.text(), "Role and name, such as chunk.c5."),
        Field.of("role", Shape.choice(roles()), "Its task."),
        Field.of("name", Shape.text(), "Its name within the role."),
        Field.of("state", Shape.choice(List.of("invited", "joined")), "How far it is."),
        Field.of("expiresAt", Shape.time(), "The end of the token, or of the certificate.")
    };

    private final MasterService master;
    private final MasterGroup group;
    private final @Nullable CertificateIssuer issuer;

    /**
     * The certificates of a cluster.
     *
     * @param group the masters: who is one of them keeps its certificates
     * @param issuer null when the cluster has no authority: then it has no certificates
     */
    public CertificatesResource(
            MasterService master, MasterGroup group, @Nullable CertificateIssuer issuer) {
        this.master = master;
        this.group = group;
        this.issuer = issuer;
    }

    private static List<String> roles() {
        return List.of("chunk", "mount", "gateway", "admin", "master");
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.of("GET", "/certificates", Role.ADMIN, "Who may speak in the cluster.")
                        .with(Parameter.paging())
                        .answers(Shape.page(Shape.fields(COMMON)))
                        .reads(
                                call ->
                                        Listing.page(
                                                call,
                                                all(),
                                                each -> String.valueOf(each.get("id")),
                                                each -> each)),
                Route.of("POST", "/certificates", Role.ADMIN, "Invites a process to join.")
                        .takes(
                                COMMON[1],
                                COMMON[2],
                                Field.maybe(
                                        "expiresAt",
                                        Shape.time(),
                                        "The end of the token; or in an hour."))
                        .answers(
                                Shape.fields(
                                        COMMON[0],
                                        COMMON[1],
                                        COMMON[2],
                                        COMMON[3],
                                        COMMON[4],
                                        Field.of("token", Shape.text(), "Shown this once.")))
                        .changes(this::invite),
                Route.of(
                                "DELETE",
                                "/certificates/{id}",
                                Role.ADMIN,
                                "Revokes the certificates and the token of a process.")
                        .changes(this::revoke));
    }

    private CertificateIssuer issuer() {
        if (issuer == null) {
            throw Problem.conflict(
                    "This cluster has no certificate authority: it was founded without --tls.");
        }
        return issuer;
    }

    private List<Map<String, Object>> all() {
        List<Map<String, Object>> all = new ArrayList<>();
        if (issuer != null) {
            for (Certified each : issuer.certified()) {
                all.add(document(each.holder(), "joined", each.expiresMs()));
            }
            for (Invitation each : issuer.invitations()) {
                all.add(document(each.holder(), "invited", each.expiresMs()));
            }
        }
        return all;
    }

    private static Map<String, Object> document(Holder holder, String state, long expiresMs) {
        Map<String, Object> document = Json.map();
        document.put("id", holder.id());
        document.put("role", holder.role().text());
        document.put("name", holder.name());
        document.put("state", state);
        document.put("expiresAt", Instant.ofEpochMilli(expiresMs).toString());
        return document;
    }

    private Plan invite(Call call) {
        CertificateIssuer open = issuer();
        Principal.Role role = Principal.Role.of(String.valueOf(call.bodyText("role")));
        String name = String.valueOf(call.bodyText("name"));
        if (role == null || !role.isInvited()) {
            throw Problem.invalid("role", "'role' must be one of " + roles() + ".");
        }
        if (open.revoked().contains(new Holder(role, name).id())) {
            throw Problem.conflict(
                    "Master %s was revoked, for good: give the new one another name."
                            .formatted(name));
        }
        try {
            var _ = new Subject("cairn", role, name);
        } catch (FsException e) {
            throw Problem.invalid("name", String.valueOf(e.getMessage()));
        }
        Instant now = Instant.ofEpochMilli(master.wallMs());
        String asked = call.bodyText("expiresAt");
        Instant end = asked == null ? now.plus(STANDARD_LIFE) : Instant.parse(asked);
        if (!end.isAfter(now) || end.isAfter(now.plus(MAX_LIFE))) {
            throw Problem.invalid("expiresAt", "'expiresAt' must be within the next 30 days.");
        }
        Holder holder = new Holder(role, name);
        Plan plan = new Plan(() -> invited(open, holder, end.toEpochMilli()));
        return plan.change("certificate " + holder.id(), null, "invited");
    }

    private Outcome invited(CertificateIssuer open, Holder holder, long expiresMs) {
        String secret = JoinToken.newSecret(new SecureRandom());
        requireDone(open.invite(holder, secret, expiresMs));
        JoinToken token =
                new JoinToken(
                        holder.role(),
                        holder.name(),
                        List.of(master.endpoint()),
                        open.fingerprint(),
                        secret);
        Map<String, Object> document = document(holder, "invited", expiresMs);
        document.put("token", token.text());
        return Outcome.created(document, "/certificates");
    }

    private static void requireDone(CompletableFuture<Reply> change) {
        if (Log.await(change) instanceof Reply.Failure failure) {
            throw Problem.conflict(failure.message());
        }
    }

    private static String unknown(String id, List<String> known) {
        String listed =
                known.isEmpty()
                        ? "There are none."
                        : "There are those of %s%s."
                                .formatted(
                                        known.stream()
                                                .limit(MAX_LISTED)
                                                .collect(Collectors.joining(", ")),
                                        known.size() > MAX_LISTED ? " and others" : "");
        return "There is no certificate of '%s', and never was.%s %s"
                .formatted(id, Spelling.hint(known, id), listed);
    }

    private void requireNoMaster(String name) {
        if (group.masters().stream().anyMatch(each -> each.id().equals(name))) {
            throw Problem.conflict(
                    "%s is one of the masters: 'cairn admin masters remove %s' or 'replace' first."
                            .formatted(name, name));
        }
    }

    private Plan revoke(Call call) {
        CertificateIssuer open = issuer();
        String id = call.text("id");
        Set<String> known = new TreeSet<>();
        all().forEach(each -> known.add(String.valueOf(each.get("id"))));
        open.masters().forEach(each -> known.add(new Holder(Principal.Role.MASTER, each).id()));
        int dot = id.indexOf('.');
        Principal.Role role = dot < 0 ? null : Principal.Role.of(id.substring(0, dot));
        if (role == null || !known.contains(id)) {
            throw Problem.notFound(unknown(id, List.copyOf(known)));
        }
        boolean isOfMaster =
                role == Principal.Role.MASTER && open.masters().contains(id.substring(dot + 1));
        if (isOfMaster) {
            requireNoMaster(id.substring(dot + 1));
        }
        Holder holder = new Holder(role, id.substring(dot + 1));
        Plan plan =
                new Plan(
                        () -> {
                            CompletableFuture<Reply> change = open.revoke(holder);
                            if (change != null) {
                                requireDone(change);
                            }
                            return Outcome.done();
                        });
        plan.change("certificate " + id, "valid", null);
        if (isOfMaster) {
            plan.warn(
                    "It holds the key of the authority, and can sign certificates of other names:"
                            + " 'cairn ca rotate', then 'cairn ca drop-former'.");
            return plan.warn("No master can have this name again.");
        }
        return plan.warn("Its connections end within a second; it needs a new token to return.");
    }
}
