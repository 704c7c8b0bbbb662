/** Ways to the files of a cluster: system calls on a mount, NFS calls to a gateway. */
@NullMarked
package io.cairn.verify.access;

import org.jspecify.annotations.NullMarked;
