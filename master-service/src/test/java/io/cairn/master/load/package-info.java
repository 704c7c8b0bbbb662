@NullUnmarked
package io.cairn.master.load;

import org.jspecify.annotations.NullUnmarked;
