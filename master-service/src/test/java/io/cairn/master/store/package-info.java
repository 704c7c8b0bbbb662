/** Tests of {@code master.store}. */
@NullUnmarked
package io.cairn.master.store;

import org.jspecify.annotations.NullUnmarked;
