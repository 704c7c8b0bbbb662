/** Tests of the runtime on the real machine. */
@org.jspecify.annotations.NullMarked
package io.cairn.runtime;
