package io.cairn.verify.process;

import java.io.IOException;
import java.util.List;

/** Where processes listen, and what comes before their commands. */
public interface Network {
    /** The address of a member. */
    String host(String member) throws IOException;

    /** A command that becomes the one behind it. */
    List<String> prefix(String member) throws IOException;

    /** All members on the loopback interface of this machine. */
    static Network loopback() {
        return new Network() {
            @Override
            public String host(String member) {
                return "127.0.0.1";
            }

            @Override
            public List<String> prefix(String member) {
                return List.of();
            }
        };
    }
}
