package io.cairn.admin.api;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One method at one address: who may call it, what it takes, what it answers, and what does it. All
 * of it is told in the OpenAPI document, and what a caller gives is checked against it before the
 * action runs. Immutable.
 */
public final class Route {
    private final String method;
    private final String template;
    private final Role role;
    private final String summary;
    private final Traits traits;

    /** Does a reading call; may block. */
    @FunctionalInterface
    public interface Reading {
        /** Answers. */
        Outcome answer(Call call);
    }

    /** Decides about a changing call; may block, and must not change anything itself. */
    @FunctionalInterface
    public interface Deciding {
        /** The plan. */
        Plan decide(Call call);
    }

    private record Traits(
            List<Parameter> parameters,
            @Nullable Shape body,
            @Nullable Shape answer,
            @Nullable String stream,
            @Nullable Reading reading,
            @Nullable Deciding deciding) {}

    private Route(String method, String template, Role role, String summary, Traits traits) {
        this.method = method;
        this.template = template;
        this.role = role;
        this.summary = summary;
        this.traits = traits;
    }

    /**
     * A route that does nothing yet.
     *
     * @param method GET, POST, PUT, PATCH or DELETE
     * @param template below {@code /api/v1}: {@code /groups/{id}}; a name in braces stands for one
     *     segment, {@code {path*}} for the rest, slashes included, perhaps empty
     * @param role the least that is needed
     * @param summary a sentence for the OpenAPI document
     */
    public static Route of(String method, String template, Role role, String summary) {
        return new Route(
                method,
                template,
                role,
                summary,
                new Traits(List.of(), null, null, null, null, null));
    }

    /** With parameters in the query. */
    public Route with(Parameter... more) {
        return with(List.of(more));
    }

    /** With parameters in the query. */
    public Route with(List<Parameter> more) {
        List<Parameter> all = new ArrayList<>(traits.parameters);
        all.addAll(more);
        return with(
                new Traits(
                        List.copyOf(all),
                        traits.body,
                        traits.answer,
                        traits.stream,
                        traits.reading,
                        traits.deciding));
    }

    /** With a JSON object as body. */
    public Route takes(Field... fields) {
        Shape body = Shape.fields(fields);
        return with(
                new Traits(
                        traits.parameters,
                        body,
                        traits.answer,
                        traits.stream,
                        traits.reading,
                        traits.deciding));
    }

    /** With a document of this shape as answer. */
    public Route answers(Shape answer) {
        return with(
                new Traits(
                        traits.parameters,
                        traits.body,
                        answer,
                        traits.stream,
                        traits.reading,
                        traits.deciding));
    }

    /** A GET that is answered by {@code reading}. */
    public Route reads(Reading reading) {
        return with(
                new Traits(
                        traits.parameters,
                        traits.body,
                        traits.answer,
                        traits.stream,
                        reading,
                        null));
    }

    /** A GET whose answer is a stream of this type, made by the master that is asked. */
    public Route streams(String mediaType) {
        return with(
                new Traits(
                        traits.parameters,
                        traits.body,
                        traits.answer,
                        mediaType,
                        _ -> Outcome.done(),
                        null));
    }

    /** A change, which takes {@code ?plan=true} and {@code If-Match}, is logged and audited. */
    public Route changes(Deciding deciding) {
        List<Parameter> parameters = with(Parameter.PLAN).traits.parameters;
        return with(
                new Traits(parameters, traits.body, traits.answer, traits.stream, null, deciding));
    }

    private Route with(Traits others) {
        return new Route(method, template, role, summary, others);
    }

    public String method() {
        return method;
    }

    public String template() {
        return template;
    }

    public Role role() {
        return role;
    }

    public String summary() {
        return summary;
    }

    public List<Parameter> parameters() {
        return traits.parameters;
    }

    public @Nullable Shape body() {
        return traits.body;
    }

    public @Nullable Shape answer() {
        return traits.answer;
    }

    /** The type of a stream, or null when the answer is a document. */
    public @Nullable String stream() {
        return traits.stream;
    }

    public @Nullable Reading reading() {
        return traits.reading;
    }

    public @Nullable Deciding deciding() {
        return traits.deciding;
    }

    @Override
    public String toString() {
        return method + " " + template;
    }
}
