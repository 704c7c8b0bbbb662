/** Open files: their contents, commits, appends, locks. */
@NullMarked
package io.cairn.client.file;

import org.jspecify.annotations.NullMarked;
