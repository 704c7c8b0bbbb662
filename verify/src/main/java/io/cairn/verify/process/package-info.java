/** The processes of a cluster on this machine: started, killed, and ended with the verifier. */
@NullMarked
package io.cairn.verify.process;

import org.jspecify.annotations.NullMarked;
