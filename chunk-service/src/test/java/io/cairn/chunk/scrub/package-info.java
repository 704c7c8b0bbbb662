@NullUnmarked
package io.cairn.chunk.scrub;

import org.jspecify.annotations.NullUnmarked;
