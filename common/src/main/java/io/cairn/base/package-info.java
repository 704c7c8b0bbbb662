/**
 * Used by every package: error numbers, codes of constants, words for people, and SHA-256. It
 * imports nothing of ours.
 */
@NullMarked
package io.cairn.base;

import org.jspecify.annotations.NullMarked;
