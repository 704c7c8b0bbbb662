/** Tests of {@code master.admin.usage}. */
@NullUnmarked
package io.cairn.admin.usage;

import org.jspecify.annotations.NullUnmarked;
