/** What the leader allows clients to write under quotas before they commit it. */
@NullMarked
package io.cairn.master.quota;

import org.jspecify.annotations.NullMarked;
