package io.cairn.node;

import io.cairn.cluster.Endpoint;
import io.cairn.http.WebCertificate;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where a master is administered.
 *
 * @param endpoint the address; port 0 for any
 * @param certificate null for plain HTTP
 * @param hosts further names under which browsers may ask for it
 * @param metrics where probes and Prometheus find it besides, or null
 */
public record AdminAddress(
        Endpoint endpoint,
        @Nullable WebCertificate certificate,
        List<String> hosts,
        @Nullable Endpoint metrics) {
    /** Where a master is administered unless it is told otherwise. */
    public static final String STANDARD = "127.0.0.1:9870";

    /** An address without anything else. */
    public static AdminAddress of(Endpoint endpoint) {
        return new AdminAddress(endpoint, null, List.of(), null);
    }

    /** Whether only this machine reaches it. */
    public boolean isLoopback() {
        return Loopback.holds("--admin", endpoint.host());
    }

    /** Names under which browsers may find it. */
    public Set<String> hostNames() {
        Set<String> names = new HashSet<>();
        names.add(endpoint.host().toLowerCase(Locale.ROOT));
        names.add(Loopback.machineName().toLowerCase(Locale.ROOT));
        hosts.forEach(name -> names.add(name.strip().toLowerCase(Locale.ROOT)));
        if (certificate != null) {
            names.addAll(certificate.names());
        }
        return names;
    }

    /** {@code http://HOST:PORT/} with the real port. */
    public String url(Endpoint real) {
        return (certificate == null ? "http://" : "https://") + real + "/";
    }
}
