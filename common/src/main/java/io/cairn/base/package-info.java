/** What every package may use: errors, codes of constants, and words for people. */
@NullMarked
package io.cairn.base;

import org.jspecify.annotations.NullMarked;
