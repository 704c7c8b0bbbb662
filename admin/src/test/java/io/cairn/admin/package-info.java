/** Tests of the administration. */
@NullMarked
package io.cairn.admin;

import org.jspecify.annotations.NullMarked;
