/** Tests of {@code master.admin.resource}. */
@NullUnmarked
package io.cairn.admin.resource;

import org.jspecify.annotations.NullUnmarked;
