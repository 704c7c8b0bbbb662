/** What both drivers share: the loop of requests, open files, options. */
@NullMarked
package io.cairn.fuse.loop;

import org.jspecify.annotations.NullMarked;
