package io.cairn.base;

/**
 * A constant of an enum that has a number of its own on the wire and on disk, so that constants may
 * be moved and named anew.
 */
public interface Coded {
    /** The number, 0..255. Never given to another constant. */
    int code();

    /** The name of the constant. */
    String name();
}
