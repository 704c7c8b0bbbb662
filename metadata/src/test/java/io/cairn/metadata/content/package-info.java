/** Tests of the package of the same name. */
@NullMarked
package io.cairn.metadata.content;

import org.jspecify.annotations.NullMarked;
