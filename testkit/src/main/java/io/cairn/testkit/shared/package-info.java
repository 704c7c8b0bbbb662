/** Cases of two doors to one filesystem. */
@NullMarked
package io.cairn.testkit.shared;

import org.jspecify.annotations.NullMarked;
