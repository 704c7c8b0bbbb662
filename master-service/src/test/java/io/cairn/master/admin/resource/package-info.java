/** Tests of {@code master.admin.resource}. */
@NullUnmarked
package io.cairn.master.admin.resource;

import org.jspecify.annotations.NullUnmarked;
