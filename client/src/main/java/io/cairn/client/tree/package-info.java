/** Names and attributes: what is asked of the tree, and what changes it. */
@NullMarked
package io.cairn.client.tree;

import org.jspecify.annotations.NullMarked;
