package io.cairn.cli.api;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The routes of the admin API that a command calls, as the OpenAPI document names them: {@code GET
 * /servers/{name}}. A command can call no others.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface Calls {
    /** Method and template each. */
    String[] value();
}
