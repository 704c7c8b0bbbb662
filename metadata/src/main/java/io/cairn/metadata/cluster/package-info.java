/** The cluster map, settings, and records of the administration. */
@NullMarked
package io.cairn.metadata.cluster;

import org.jspecify.annotations.NullMarked;
