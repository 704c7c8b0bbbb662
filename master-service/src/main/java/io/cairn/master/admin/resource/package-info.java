/** The resources of the admin API and their documents. */
@NullMarked
package io.cairn.master.admin.resource;

import org.jspecify.annotations.NullMarked;
