/** Tests of the encodings. */
@org.jspecify.annotations.NullMarked
package io.cairn.wire;
