@NullUnmarked
package io.cairn.master.backup;

import org.jspecify.annotations.NullUnmarked;
