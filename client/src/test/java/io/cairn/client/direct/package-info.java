@NullUnmarked
package io.cairn.client.direct;

import org.jspecify.annotations.NullUnmarked;
