package io.cairn.fuse.loop;

/**
 * A way to speak with the kernel about one mount that exists. {@link #serve} is called by many
 * threads at once, the rest by the owner of the mount.
 */
public interface Driver {
    /** The descriptor of {@code /dev/fuse}. */
    int fd();

    /** The requests that wait for the cluster and may be let go. */
    SignalledRequests signalled();

    /** How large a buffer for one request must be. */
    long bufferBytes();

    /** How much memory each thread gets for a reply. */
    long replyBytes();

    /**
     * Executes the request in the buffer of the calling loop thread and answers it, always.
     *
     * @param lengthBytes length of the request
     */
    void serve(LoopThread thread, int lengthBytes);

    /** Frees everything. No thread is serving and nothing is mounted any more. */
    void destroy();
}
