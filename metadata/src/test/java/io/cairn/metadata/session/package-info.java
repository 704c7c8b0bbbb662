/** Tests of {@code metadata.session}. */
@NullUnmarked
package io.cairn.metadata.session;

import org.jspecify.annotations.NullUnmarked;
