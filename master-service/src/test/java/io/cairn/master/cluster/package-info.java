/** Tests of the cluster's decisions. */
@NullMarked
package io.cairn.master.cluster;

import org.jspecify.annotations.NullMarked;
