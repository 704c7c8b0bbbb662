/** Random sequences of calls through two doors, whose results and trees are compared. */
@NullMarked
package io.cairn.testkit.fuzz;

import org.jspecify.annotations.NullMarked;
