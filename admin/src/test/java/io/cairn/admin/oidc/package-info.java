/** A small OpenID provider, and signing in with it. */
@NullMarked
package io.cairn.admin.oidc;

import org.jspecify.annotations.NullMarked;
