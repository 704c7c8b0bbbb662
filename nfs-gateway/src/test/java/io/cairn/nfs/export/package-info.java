/** Tests of the list of exports. */
@org.jspecify.annotations.NullMarked
package io.cairn.nfs.export;
