/**
 * Storage classes: named policies that directories refer to. New files take what the class of the
 * nearest directory above them says, so that a change of a class holds at once.
 */
@NullMarked
package io.cairn.metadata.classes;

import org.jspecify.annotations.NullMarked;
