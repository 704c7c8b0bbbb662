/**
 * The trash over the admin API: lists what is in it, restores and purges it, and says how long
 * directories keep what is removed from them.
 */
@NullMarked
package io.cairn.admin.trash;

import org.jspecify.annotations.NullMarked;
