/** Tests of {@code master.admin.api}. */
@NullUnmarked
package io.cairn.master.admin.api;

import org.jspecify.annotations.NullUnmarked;
