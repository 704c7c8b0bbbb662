/** Tests of the words for filesystems. */
@org.jspecify.annotations.NullMarked
package io.cairn.fs;
