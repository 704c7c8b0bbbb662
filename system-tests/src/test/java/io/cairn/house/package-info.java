/**
 * The house lints itself.
 *
 * <p>What ARCHITECTURE.md promises about directions, sizes and names is checked here like any other
 * behaviour, over all modules at once, so that it stays true without anybody watching.
 */
@NullMarked
package io.cairn.house;

import org.jspecify.annotations.NullMarked;
