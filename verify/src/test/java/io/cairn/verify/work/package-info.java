@NullUnmarked
package io.cairn.verify.work;

import org.jspecify.annotations.NullUnmarked;
