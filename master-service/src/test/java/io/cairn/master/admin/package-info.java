/** Tests of the administration. */
@NullMarked
package io.cairn.master.admin;

import org.jspecify.annotations.NullMarked;
