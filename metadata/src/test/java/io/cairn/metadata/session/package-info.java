/** Tests of the package of the same name. */
@NullMarked
package io.cairn.metadata.session;

import org.jspecify.annotations.NullMarked;
