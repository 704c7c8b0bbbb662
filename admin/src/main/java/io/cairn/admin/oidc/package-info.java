/**
 * Signing in with an OpenID provider, beside the tokens of the cluster: the authorization code flow
 * with PKCE (RFC 7636) for the console, and ID tokens of the provider as bearer tokens for the API.
 * JSON Web Tokens are verified by Nimbus JOSE + JWT, never here. Nothing of it is stored: whichever
 * master leads verifies each token by itself.
 */
@NullMarked
package io.cairn.admin.oidc;

import org.jspecify.annotations.NullMarked;
