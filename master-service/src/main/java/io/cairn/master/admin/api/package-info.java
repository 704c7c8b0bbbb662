/**
 * What all resources of the admin API are made of: routes, shapes, plans, tokens, the audit log.
 */
@NullMarked
package io.cairn.master.admin.api;

import org.jspecify.annotations.NullMarked;
