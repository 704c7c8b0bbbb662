/**
 * What administrators do with chunk servers and targets: drain, remove, maintain; and which
 * failures the cluster survives while they do.
 */
@NullMarked
package io.cairn.admin.storage;

import org.jspecify.annotations.NullMarked;
