/** The commands of services, without their processes. */
@NullMarked
package io.cairn.cli.service;

import org.jspecify.annotations.NullMarked;
