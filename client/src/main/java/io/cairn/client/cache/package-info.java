/** What a mount knows of inodes and names. */
@NullMarked
package io.cairn.client.cache;

import org.jspecify.annotations.NullMarked;
