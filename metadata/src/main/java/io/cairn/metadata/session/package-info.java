/** Sessions of clients, and their replies that are remembered. */
@NullMarked
package io.cairn.metadata.session;

import org.jspecify.annotations.NullMarked;
