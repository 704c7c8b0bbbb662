package io.cairn.net;

import io.cairn.base.FsException;

/** The answer to a one-way request: goes nowhere. */
public enum NoAnswer implements Answer {
    INSTANCE;

    @Override
    public void send(Message reply) {
        reply.release();
    }

    @Override
    public void fail(FsException error) {}
}
