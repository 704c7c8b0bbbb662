/** Storage classes over the admin API: named policies, and the directories that refer to them. */
@NullMarked
package io.cairn.admin.classes;

import org.jspecify.annotations.NullMarked;
