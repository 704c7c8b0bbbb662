/** Tests of logins with passwords. */
@NullMarked
package io.cairn.identity.scram;

import org.jspecify.annotations.NullMarked;
