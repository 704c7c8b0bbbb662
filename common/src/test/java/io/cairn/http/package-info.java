/** Tests of the package of the same name. */
@NullMarked
package io.cairn.http;

import org.jspecify.annotations.NullMarked;
