/** The commands that start, watch and end processes. */
@NullMarked
package io.cairn.cli.service;

import org.jspecify.annotations.NullMarked;
