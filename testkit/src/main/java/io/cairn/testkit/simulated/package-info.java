/** A simulated clock, network and disk that a seed decides. */
@NullMarked
package io.cairn.testkit.simulated;

import org.jspecify.annotations.NullMarked;
