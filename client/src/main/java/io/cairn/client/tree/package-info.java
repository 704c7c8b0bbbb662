/**
 * Names and attributes: queries of the tree, changes of it, and the permission checks for callers
 * that no kernel has checked.
 *
 * <p>Queries are answered from {@link io.cairn.client.cache} where that may be believed, else by
 * the leading master. A change tells the cache its outcome. An outcome that is unknown makes the
 * cache forget the directories concerned. Thread-safe; most operations block.
 */
@NullMarked
package io.cairn.client.tree;

import org.jspecify.annotations.NullMarked;
