/**
 * Watches for operators: health with its reasons, errors of disks, load, events. Soft state of the
 * leader that begins anew with each term.
 */
@NullMarked
package io.cairn.admin.watch;

import org.jspecify.annotations.NullMarked;
