/** The session with the masters: connections, calls, the cluster map, the clock. */
@NullMarked
package io.cairn.client.session;

import org.jspecify.annotations.NullMarked;
