/** Tests of identities and of the TLS that they make possible. */
@NullMarked
package io.cairn.identity;

import org.jspecify.annotations.NullMarked;
