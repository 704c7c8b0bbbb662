/**
 * Used by every package: error numbers, codes of constants, and words for people. It imports
 * nothing of ours.
 */
@NullMarked
package io.cairn.base;

import org.jspecify.annotations.NullMarked;
