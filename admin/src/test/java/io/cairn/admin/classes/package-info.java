/** Tests of {@code admin.classes}. */
@NullUnmarked
package io.cairn.admin.classes;

import org.jspecify.annotations.NullUnmarked;
