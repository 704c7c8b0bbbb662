/** Tests of {@code admin.snapshot}. */
@NullUnmarked
package io.cairn.admin.snapshot;

import org.jspecify.annotations.NullUnmarked;
