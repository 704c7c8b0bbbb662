/** Tests of the network over real sockets. */
@org.jspecify.annotations.NullMarked
package io.cairn.net;
