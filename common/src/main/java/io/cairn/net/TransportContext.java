package io.cairn.net;

/**
 * What the connections of one transport share.
 *
 * @param loops threads and timers
 * @param budget memory for requests
 * @param beatMs how often a connection looks after itself, in milliseconds; its other periods are
 *     counted in this one
 */
record TransportContext(EventLoops loops, ReceiveBudget budget, long beatMs) {}
