/**
 * Tests of the chunk service: classes alone, and whole clusters of chunk servers with real targets
 * on a simulated network and clock, against a master that hands out maps.
 */
@org.jspecify.annotations.NullMarked
package io.cairn.chunk;
