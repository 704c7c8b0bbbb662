/**
 * The commands {@code cairn admin}, {@code cairn status} and those of exports: calls of the admin
 * API.
 */
@NullMarked
package io.cairn.cli.admin;

import org.jspecify.annotations.NullMarked;
