package io.cairn.admin.resource;

import io.cairn.admin.api.Call;
import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Listing;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Parameter;
import io.cairn.admin.api.Plan;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Records;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import io.cairn.admin.api.Tokens;
import io.cairn.admin.api.Tokens.Token;
import io.cairn.base.Spelling;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.RecordChange;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** {@code /tokens}: who may do what. A secret is told once, when its token is made. */
public final class TokensResource implements Resource {
    private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}");
    private static final int MAX_TOKENS = 256;

    private static final Field[] COMMON = {
        Field.of("name", Shape.text(), "1..64 letters, digits, dots, dashes, underscores."),
        Field.of("role", Shape.choice(Role.texts()), "What it allows."),
        Field.of("createdAt", Shape.time(), "When it was made."),
        Field.maybe("expiresAt", Shape.time(), "When it ends; null: never."),
        Field.of("expired", Shape.flag(), "Whether it has ended.")
    };

    private final Tokens tokens;
    private final Records records;
    private final Clock clock;
    private final RandomGenerator random;

    public TokensResource(Tokens tokens, Records records, Clock clock, RandomGenerator random) {
        this.tokens = tokens;
        this.records = records;
        this.clock = clock;
        this.random = random;
    }

    @Override
    public List<Route> routes() {
        Shape made =
                Shape.fields(
                        COMMON[0],
                        COMMON[1],
                        COMMON[2],
                        COMMON[3],
                        COMMON[4],
                        Field.of("secret", Shape.text(), "Shown this once: keep it safe."));
        return List.of(
                Route.of("GET", "/tokens", Role.ADMIN, "All tokens, without their secrets.")
                        .with(Parameter.paging())
                        .answers(Shape.page(Shape.fields(COMMON)))
                        .reads(
                                call ->
                                        Listing.page(
                                                call, tokens.all(), Token::name, this::document)),
                Route.of("GET", "/tokens/{name}", Role.ADMIN, "A token, without its secret.")
                        .answers(Shape.fields(COMMON))
                        .reads(call -> Outcome.of(document(find(call)))),
                Route.of("POST", "/tokens", Role.ADMIN, "Makes a token and tells its secret.")
                        .takes(
                                COMMON[0],
                                COMMON[1],
                                Field.maybe("expiresAt", Shape.time(), "When it ends; or never."))
                        .answers(made)
                        .changes(this::make),
                Route.of("DELETE", "/tokens/{name}", Role.ADMIN, "Ends a token.")
                        .changes(this::remove));
    }

    private Token find(Call call) {
        String name = call.text("name");
        List<String> names = tokens.all().stream().map(Token::name).toList();
        return tokens.all().stream()
                .filter(token -> token.name().equals(name))
                .findFirst()
                .orElseThrow(
                        () ->
                                Problem.notFound(
                                        "There is no token '%s'.%s"
                                                .formatted(name, Spelling.hint(names, name))));
    }

    private Map<String, Object> document(Token token) {
        Map<String, Object> document = Json.map();
        document.put("name", token.name());
        document.put("role", token.role().text());
        document.put("createdAt", token.createdAt());
        document.put("expiresAt", token.expiresAt());
        document.put("expired", tokens.isExpired(token));
        return document;
    }

    private Plan make(Call call) {
        String name = String.valueOf(call.bodyText("name"));
        String role = String.valueOf(call.bodyText("role"));
        String expiresAt = call.bodyText("expiresAt");
        if (!NAME.matcher(name).matches()) {
            throw Problem.invalid(
                    "name",
                    "'name' must be 1 to 64 letters, digits, dots, dashes and underscores, and"
                            + " begin with a letter or digit.");
        }
        if (expiresAt != null && !Instant.parse(expiresAt).isAfter(clock.now())) {
            throw Problem.invalid("expiresAt", "'expiresAt' must be in the future.");
        }
        List<Token> all = tokens.all();
        if (all.stream().anyMatch(token -> token.name().equals(name))) {
            throw Problem.conflict(
                    "There is a token '" + name + "' already: remove it, or take another name.");
        }
        if (all.size() >= MAX_TOKENS) {
            throw Problem.conflict("There are " + MAX_TOKENS + " tokens: remove some.");
        }
        Plan plan = new Plan(() -> create(name, role, expiresAt));
        return plan.change("token " + name, null, role);
    }

    private Outcome create(String name, String role, @Nullable String expiresAt) {
        Role known = Role.of(role);
        if (known == null) {
            throw new IllegalStateException("role " + role + " was checked");
        }
        String secret = Tokens.secret(random);
        Token token =
                new Token(name, known, Tokens.hash(secret), clock.now().toString(), expiresAt, 0);
        records.change(new RecordChange(Tokens.PREFIX + name, 0, token.stored()));
        Map<String, Object> document = document(token);
        document.put("secret", secret);
        return Outcome.created(document, "/tokens/" + name);
    }

    private Plan remove(Call call) {
        Token token = find(call);
        boolean isLast =
                tokens.all().stream()
                        .filter(t -> t.role() == Role.ADMIN && t.expiresAt() == null)
                        .allMatch(t -> t.name().equals(token.name()));
        if (isLast && token.role() == Role.ADMIN && token.expiresAt() == null) {
            throw Problem.conflict(
                    "'%s' is the last token of role admin that does not expire: make another first."
                            .formatted(token.name()));
        }
        Plan plan =
                new Plan(
                        () -> {
                            records.change(
                                    new RecordChange(
                                            Tokens.PREFIX + token.name(), token.version(), null));
                            return Outcome.done();
                        });
        plan.change("token " + token.name(), token.role().text(), null);
        if (call.caller().token().equals(token.name())) {
            plan.warn("This is the token that you use.");
        }
        return plan.basedOn(List.of(token.name(), token.version()));
    }
}
