@NullUnmarked
package io.cairn.master.snapshot;

import org.jspecify.annotations.NullUnmarked;
