/**
 * What was done when, with which answer, and whether these answers are possible. No input or
 * output, and no clock: times come with the records.
 */
@NullMarked
package io.cairn.verify.history;

import org.jspecify.annotations.NullMarked;
