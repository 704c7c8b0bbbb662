package io.cairn.client.session;

import io.cairn.net.Transport;
import io.cairn.runtime.PollLoop;
import java.util.function.UnaryOperator;

/**
 * A network of one connection that is run by the threads of a door.
 *
 * @param transport makes the connection
 * @param loop runs it
 */
public record PolledNetwork(Transport transport, PollLoop loop) {
    /** The same through another transport around this one. */
    public PolledNetwork through(UnaryOperator<Transport> around) {
        return new PolledNetwork(around.apply(transport), loop);
    }
}
