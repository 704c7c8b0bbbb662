/**
 * Tree jobs: work on whole trees, one step in each log entry. A job keeps its order, its counts and
 * a cursor in the state, so that any leader can go on with it, and no step is done twice.
 */
@NullMarked
package io.cairn.metadata.job;

import org.jspecify.annotations.NullMarked;
