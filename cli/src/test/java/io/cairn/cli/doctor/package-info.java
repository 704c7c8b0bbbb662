/** The checks of the doctor on made-up machines. */
@NullMarked
package io.cairn.cli.doctor;

import org.jspecify.annotations.NullMarked;
