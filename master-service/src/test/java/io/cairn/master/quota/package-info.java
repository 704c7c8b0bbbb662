/** Tests of allowances. */
@NullMarked
package io.cairn.master.quota;

import org.jspecify.annotations.NullMarked;
