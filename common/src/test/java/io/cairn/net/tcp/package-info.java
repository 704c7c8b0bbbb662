/** Tests of the package of the same name. */
@NullMarked
package io.cairn.net.tcp;

import org.jspecify.annotations.NullMarked;
