/** Tests of the request door and of the leader's housekeeping. */
@NullMarked
package io.cairn.master;

import org.jspecify.annotations.NullMarked;
