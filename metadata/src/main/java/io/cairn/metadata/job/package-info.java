/** Tree jobs, step by step. */
@NullMarked
package io.cairn.metadata.job;

import org.jspecify.annotations.NullMarked;
