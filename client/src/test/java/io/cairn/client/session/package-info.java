/** Tests of {@code client.session}. */
@NullUnmarked
package io.cairn.client.session;

import org.jspecify.annotations.NullUnmarked;
