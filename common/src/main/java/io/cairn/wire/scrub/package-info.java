/** What chunk servers tell of the verification of their blobs, and are told about it. */
@NullMarked
package io.cairn.wire.scrub;

import org.jspecify.annotations.NullMarked;
