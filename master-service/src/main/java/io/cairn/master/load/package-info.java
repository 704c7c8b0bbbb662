/** What the reported work of targets says about them. */
@NullMarked
package io.cairn.master.load;

import org.jspecify.annotations.NullMarked;
