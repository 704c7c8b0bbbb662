/**
 * Sessions of clients, and the replies that are remembered for them, so that a repeated mutation
 * gets the answer it had. Clients say which replies they know, and those are forgotten.
 */
@NullMarked
package io.cairn.metadata.session;

import org.jspecify.annotations.NullMarked;
