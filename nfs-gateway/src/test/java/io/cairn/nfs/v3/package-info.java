/** Tests of the procedures. */
@org.jspecify.annotations.NullMarked
package io.cairn.nfs.v3;
