/** Backups of the metadata: on demand as a stream, and by a schedule into a directory. */
@NullMarked
package io.cairn.admin.backup;

import org.jspecify.annotations.NullMarked;
