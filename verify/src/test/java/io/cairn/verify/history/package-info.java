@NullUnmarked
package io.cairn.verify.history;

import org.jspecify.annotations.NullUnmarked;
