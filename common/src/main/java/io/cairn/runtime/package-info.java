/**
 * What a service needs of the world, as seams: time, delayed work, files on disk, metrics. A whole
 * cluster runs in one JVM on simulated ones.
 */
@org.jspecify.annotations.NullMarked
package io.cairn.runtime;
