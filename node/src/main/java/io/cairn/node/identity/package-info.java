/** How a process gets its certificate, and the next one before it ends. */
@NullMarked
package io.cairn.node.identity;

import org.jspecify.annotations.NullMarked;
