package io.cairn.fs;

/**
 * A machine that takes locks, with what one of its calls tells besides.
 *
 * @param host the machine
 * @param state how often it went down and came up, as its status monitor counts; 0 when it does not
 *     tell
 * @param server the address at which it called us, as text
 */
public record HostContact(LockHost host, int state, String server) {}
