package io.cairn.admin.api;

import io.cairn.http.WebRequest;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Refuses requests that are meant for names that nobody gave this master. A web page can make a
 * browser send requests here under a name of the page's own (DNS rebinding); it cannot do so under
 * an address. Thread-safe.
 */
public final class HostCheck {
    private static final Pattern ADDRESS =
            Pattern.compile("\\[[0-9a-fA-F:.]+]|[0-9]{1,3}(\\.[0-9]{1,3}){3}");
    private static final Pattern PORT = Pattern.compile(":[0-9]{0,5}$");

    private final Set<String> names;

    public HostCheck(Set<String> names) {
        this.names = Set.copyOf(names);
    }

    /** Fails with 421. Requests of HTTP/1.0 may name no host: no browser sends them. */
    public void check(WebRequest request) {
        String header = request.header("host");
        if (header == null) {
            return;
        }
        String host = PORT.matcher(header.strip()).replaceFirst("").toLowerCase(Locale.ROOT);
        if (!ADDRESS.matcher(host).matches() && !host.equals("localhost") && !isKnown(host)) {
            throw Problem.misdirected(
                    "This master is not called '"
                            + host
                            + "'; use its address or a name of its certificate, or start it with"
                            + " --admin-host "
                            + host
                            + ".");
        }
    }

    private boolean isKnown(String host) {
        int dot = host.indexOf('.');
        return names.contains(host) || (dot > 0 && names.contains("*" + host.substring(dot)));
    }
}
