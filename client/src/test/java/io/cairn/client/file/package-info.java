/** Tests of {@code client.file}. */
@NullUnmarked
package io.cairn.client.file;

import org.jspecify.annotations.NullUnmarked;
