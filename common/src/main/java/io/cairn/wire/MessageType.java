package io.cairn.wire;

import io.cairn.base.Coded;

/** A type of message: a line in the enum of its family. Its code is its first byte, 1..255. */
public interface MessageType extends Coded {}
