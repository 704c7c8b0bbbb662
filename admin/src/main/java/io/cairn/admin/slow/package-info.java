/** What the leader remembers of slow mutations, over the admin API. */
@NullMarked
package io.cairn.admin.slow;

import org.jspecify.annotations.NullMarked;
