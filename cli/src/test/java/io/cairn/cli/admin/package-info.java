/** Tests of what the commands of administrators show. */
@NullMarked
package io.cairn.cli.admin;

import org.jspecify.annotations.NullMarked;
