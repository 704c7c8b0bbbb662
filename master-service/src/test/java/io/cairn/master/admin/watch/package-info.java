/** Tests of the package of the same name. */
@NullMarked
package io.cairn.master.admin.watch;

import org.jspecify.annotations.NullMarked;
