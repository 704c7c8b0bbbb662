@NullUnmarked
package io.cairn.master.check;

import org.jspecify.annotations.NullUnmarked;
