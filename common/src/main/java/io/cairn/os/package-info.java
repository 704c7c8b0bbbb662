/**
 * System calls that the JDK does not offer, and functions of other libraries: all are bound here,
 * by {@link io.cairn.os.NativeCalls}, with java.lang.foreign. They return what the function
 * returns, or the negated error number, and throw nothing. Any thread may call them.
 */
@NullMarked
package io.cairn.os;

import org.jspecify.annotations.NullMarked;
