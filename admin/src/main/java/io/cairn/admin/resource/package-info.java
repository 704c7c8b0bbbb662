/**
 * The resources of the admin API and their documents: a class for each noun in the addresses. A
 * resource reads the applied state and proposes mutations through {@code Log}; routing, rights and
 * plans are those of {@link io.cairn.admin.api}.
 */
@NullMarked
package io.cairn.admin.resource;

import org.jspecify.annotations.NullMarked;
