package io.cairn.testkit.contract;

import io.cairn.testkit.posix.Posix;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A case of the contract: a method of a {@link Scene} without parameters, named for its claim. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface Case {
    /** The capabilities that the door must have for the case to exist. */
    Posix.Capability[] needs() default {};

    /** Whether the case needs {@link Posix#reachableLinks}. */
    boolean reachesLinkMax() default false;
}
