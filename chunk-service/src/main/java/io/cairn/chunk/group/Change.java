package io.cairn.chunk.group;

import io.cairn.net.Message;

/** A change of a chunk that its head has prepared: told to the members, and applied here. */
interface Change {
    /** The message to a member, made anew for each attempt. */
    Message forMember();

    /** Applies it here, on a disk thread; returns the change of the allocated bytes. */
    int apply();

    /** Its number among the writes of the chunk. */
    long sequence();

    /** Length of the chunk afterwards. */
    int lengthAfterBytes();
}
