/** Requests to masters, with their replies and pushes: mutations, queries, messages of servers. */
@NullMarked
package io.cairn.wire.master;

import org.jspecify.annotations.NullMarked;
