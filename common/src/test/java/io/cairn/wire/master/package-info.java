/** Tests of {@code wire.master}. */
@NullUnmarked
package io.cairn.wire.master;

import org.jspecify.annotations.NullUnmarked;
