package io.cairn.admin.api;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request that has been checked: its route exists, its caller may call it, and what it gives has
 * the shapes that the route asks for. Immutable.
 *
 * @param variables of the route's template, percent-decoded
 * @param parameters of the query, percent-decoded and checked
 * @param body the JSON object; empty when the route takes none
 * @param caller who asks
 */
public record Call(
        Route route,
        Map<String, byte[]> variables,
        Map<String, String> parameters,
        Map<String, Object> body,
        Caller caller) {
    /**
     * The caller.
     *
     * @param token name of the token
     * @param address where the request came from
     */
    public record Caller(String token, Role role, String address) {}

    /** The bytes that a part of the address stands for, such as a path. */
    public byte[] bytes(String variable) {
        byte[] value = variables.get(variable);
        if (value == null) {
            throw new IllegalArgumentException(route + " has no {" + variable + "}");
        }
        return value;
    }

    /** The text that a part of the address stands for; 404 when it is not UTF-8. */
    public String text(String variable) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes(variable)))
                    .toString();
        } catch (CharacterCodingException e) {
            throw Problem.notFound("There is nothing of that name.");
        }
    }

    /** The number that a part of the address stands for; 404 when it is none. */
    public int number(String variable) {
        try {
            return Integer.parseInt(text(variable));
        } catch (NumberFormatException e) {
            throw Problem.notFound("'" + text(variable) + "' is not a number that exists here.");
        }
    }

    /** The identifier of 16 hexadecimal digits in the address; 404 when it is none. */
    public long identity(String variable) {
        String text = text(variable);
        try {
            if (text.length() != 16) {
                throw new NumberFormatException("length");
            }
            return Long.parseUnsignedLong(text, 16);
        } catch (NumberFormatException e) {
            throw Problem.notFound("'" + text + "' is not an identifier of 16 hexadecimal digits.");
        }
    }

    /** A parameter of the query, or null. */
    public @Nullable String parameter(String name) {
        return parameters.get(name);
    }

    /** A number in the query. */
    public long parameter(String name, long otherwise) {
        String value = parameters.get(name);
        return value == null ? otherwise : Long.parseLong(value);
    }

    /** A flag in the query; false when absent. */
    public boolean isSet(String name) {
        return "true".equals(parameters.get(name));
    }

    /** A text in the body, or null. */
    public @Nullable String bodyText(String field) {
        return body.get(field) instanceof String text ? text : null;
    }

    /** A whole number in the body, or null. */
    public @Nullable Long bodyNumber(String field) {
        return body.get(field) instanceof Number number ? number.longValue() : null;
    }
}
