/** Classes of faults, and how each is begun and mended. */
@NullMarked
package io.cairn.verify.fault;

import org.jspecify.annotations.NullMarked;
