/** Tests of {@code master.admin.watch}. */
@NullUnmarked
package io.cairn.master.admin.watch;

import org.jspecify.annotations.NullUnmarked;
