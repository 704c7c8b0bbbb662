/** Tests of {@code admin.trash}. */
@NullUnmarked
package io.cairn.admin.trash;

import org.jspecify.annotations.NullUnmarked;
