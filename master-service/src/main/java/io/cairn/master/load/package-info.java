/** Which targets and mutations are slow. */
@NullMarked
package io.cairn.master.load;

import org.jspecify.annotations.NullMarked;
