/** What trees, users and groups hold, and how much they may hold. */
@NullMarked
package io.cairn.admin.usage;

import org.jspecify.annotations.NullMarked;
