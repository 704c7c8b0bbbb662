/** Contents of files: layouts, sizes, inline bytes. */
@NullMarked
package io.cairn.metadata.content;

import org.jspecify.annotations.NullMarked;
