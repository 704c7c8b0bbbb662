/** Tests of mount rules by themselves. */
@NullUnmarked
package io.cairn.master.access;

import org.jspecify.annotations.NullUnmarked;
