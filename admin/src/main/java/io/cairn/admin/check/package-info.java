/** The check of the running cluster, for people and programs. */
@NullMarked
package io.cairn.admin.check;

import org.jspecify.annotations.NullMarked;
