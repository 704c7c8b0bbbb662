/** Connections over TCP: frames, their protocol, and the transport that Netty carries. */
@NullMarked
package io.cairn.net.tcp;

import org.jspecify.annotations.NullMarked;
