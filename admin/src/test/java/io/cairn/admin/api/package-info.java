/** Tests of {@code master.admin.api}. */
@NullUnmarked
package io.cairn.admin.api;

import org.jspecify.annotations.NullUnmarked;
