/** The reference: a whole filesystem in memory, as simple as it can be written. */
@NullMarked
package io.cairn.testkit.model;

import org.jspecify.annotations.NullMarked;
