/** Work on the files of a cluster that remembers what was acknowledged, and measures stalls. */
@NullMarked
package io.cairn.verify.work;

import org.jspecify.annotations.NullMarked;
