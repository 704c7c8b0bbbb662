/** Tests of the package of the same name. */
@NullMarked
package io.cairn.cli.option;

import org.jspecify.annotations.NullMarked;
