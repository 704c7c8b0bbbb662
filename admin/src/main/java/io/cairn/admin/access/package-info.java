/** The mount rules of the masters in the admin API; {@link io.cairn.master.access} has them. */
@NullMarked
package io.cairn.admin.access;

import org.jspecify.annotations.NullMarked;
