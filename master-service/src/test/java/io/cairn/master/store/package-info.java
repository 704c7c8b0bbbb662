/** Tests of the package of the same name. */
@NullMarked
package io.cairn.master.store;

import org.jspecify.annotations.NullMarked;
