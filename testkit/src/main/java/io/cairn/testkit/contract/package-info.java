/** The filesystem contract: the same cases through every door. */
@NullMarked
package io.cairn.testkit.contract;

import org.jspecify.annotations.NullMarked;
