/** Tests of the package of the same name. */
@NullMarked
package io.cairn.metadata.cluster;

import org.jspecify.annotations.NullMarked;
