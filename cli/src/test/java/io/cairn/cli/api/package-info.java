/** Tests of the caller's side of the admin API. */
@NullMarked
package io.cairn.cli.api;

import org.jspecify.annotations.NullMarked;
