/** Tests of the package of the same name. */
@NullMarked
package io.cairn.metadata.lock;

import org.jspecify.annotations.NullMarked;
