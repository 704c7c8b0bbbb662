package io.cairn.net;

import io.cairn.base.FsException;

/** Where the answer to a request goes. For one-way requests both methods only release. */
public interface Answer {
    /** Answers; gives the message away. */
    void send(Message reply);

    /** Answers with an error. */
    void fail(FsException error);
}
