/**
 * What masters are asked, and what they answer and push: mutations, queries, messages of servers.
 */
@NullMarked
package io.cairn.wire.master;

import org.jspecify.annotations.NullMarked;
