/** Doors to a filesystem in system calls: over the seam of this JVM, and over the real Linux. */
@NullMarked
package io.cairn.testkit.posix;

import org.jspecify.annotations.NullMarked;
