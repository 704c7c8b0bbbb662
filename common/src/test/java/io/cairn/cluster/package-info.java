/** Tests of the words for clusters. */
@org.jspecify.annotations.NullMarked
package io.cairn.cluster;
