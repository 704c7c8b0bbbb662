/** Tests of the command without any process. */
@NullMarked
package io.cairn.cli;

import org.jspecify.annotations.NullMarked;
