package io.cairn.cluster;

/**
 * Where a service listens.
 *
 * @param host host name or address, without brackets
 * @param port TCP port, 1..65535 (0 only when asking to listen on any free port)
 */
public record Endpoint(String host, int port) {
    /**
     * Parses {@code HOST:PORT} or {@code [IPV6]:PORT}.
     *
     * @throws IllegalArgumentException with a sentence that names the text and the form expected
     */
    public static Endpoint parse(String text) {
        int colon = text.lastIndexOf(':');
        if (colon <= 0 || colon == text.length() - 1) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not HOST:PORT, such as 127.0.0.1:9871");
        }
        String host = text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.indexOf(':') >= 0) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not HOST:PORT; write an IPv6 address as [ADDRESS]:PORT");
        }
        int port;
        try {
            port = Integer.parseInt(text.substring(colon + 1));
        } catch (NumberFormatException e) {
            port = -1;
        }
        if (host.isEmpty() || port < 0 || port > 65535) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not HOST:PORT with a port from 0 to 65535");
        }
        return new Endpoint(host, port);
    }

    @Override
    public String toString() {
        return host.indexOf(':') >= 0 ? "[" + host + "]:" + port : host + ":" + port;
    }
}
