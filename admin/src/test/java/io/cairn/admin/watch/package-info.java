/** Tests of {@code master.admin.watch}. */
@NullUnmarked
package io.cairn.admin.watch;

import org.jspecify.annotations.NullUnmarked;
