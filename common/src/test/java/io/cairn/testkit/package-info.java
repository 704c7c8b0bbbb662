/** The test kit: what proves a filesystem. */
@org.jspecify.annotations.NullMarked
package io.cairn.testkit;
