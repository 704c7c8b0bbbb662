/** Tests of the package of the same name. */
@NullMarked
package io.cairn.metadata.job;

import org.jspecify.annotations.NullMarked;
