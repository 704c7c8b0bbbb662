/** What every package may use: codes of constants, and words for people. */
@NullMarked
package io.cairn.base;

import org.jspecify.annotations.NullMarked;
