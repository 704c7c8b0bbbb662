/** The parts of all resources of the admin API: routes, shapes, plans, tokens, the audit log. */
@NullMarked
package io.cairn.admin.api;

import org.jspecify.annotations.NullMarked;
