package io.cairn.cli.doctor;

import io.cairn.base.Wording;
import io.cairn.cluster.Endpoint;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The masters as seen from here: reached, of which version, and whose clock. */
public final class ClusterChecks {
    private static final int CONNECT_MS = 3000;
    private static final long SKEW_WARN_MS = 500;
    private static final long SKEW_FAIL_MS = 10_000;
    private static final String TIME_REMEDY =
            "run a time service on every machine (apt-get install chrony)";

    private ClusterChecks() {}

    /**
     * The answer of the leader.
     *
     * @param status its status document
     * @param askedMs the wall clock here when it was asked, milliseconds since the epoch
     * @param answeredMs the same when it had answered
     */
    public record Told(Map<String, Object> status, long askedMs, long answeredMs) {}

    /** Whether each master takes connections. */
    public static List<Finding> reach(List<Endpoint> masters) {
        List<Finding> findings = new ArrayList<>();
        for (Endpoint master : masters) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(master.host(), master.port()), CONNECT_MS);
                findings.add(Finding.ok("master", master + " takes connections"));
            } catch (IOException | RuntimeException e) {
                findings.add(
                        Finding.fail(
                                "master",
                                master + " cannot be reached: " + Wording.of(e),
                                "start it, or open the port in the firewalls between"));
            }
        }
        return findings;
    }

    /** Compares versions. */
    public static Finding version(Told told, String own) {
        Object version = told.status().get("version");
        String text = "command " + own + ", cluster " + version;
        return own.equals(version)
                ? Finding.ok("version", text)
                : Finding.warn(
                        "version",
                        text,
                        "one version everywhere is best tested; upgrade masters first, then chunk"
                                + " servers, gateways and mounts");
    }

    /** Compares the clocks; the answer was under way for half of the time. */
    public static Finding clock(Told told) {
        if (!(told.status().get("timeMs") instanceof Number time)) {
            return Finding.warn(
                    "clock", "the leader does not tell its time", "upgrade the masters");
        }
        long here = (told.askedMs() + told.answeredMs()) / 2;
        long skewMs = here - time.longValue();
        String text =
                "this machine is "
                        + Math.abs(skewMs)
                        + " ms "
                        + (skewMs < 0 ? "behind" : "ahead of")
                        + " the leader";
        if (Math.abs(skewMs) >= SKEW_FAIL_MS) {
            return Finding.fail("clock", text + ": times of files will be wrong", TIME_REMEDY);
        }
        return Math.abs(skewMs) >= SKEW_WARN_MS
                ? Finding.warn("clock", text, TIME_REMEDY)
                : Finding.ok("clock", text);
    }

    /** Whether the clock is disciplined, which says something without a master, too. */
    public static Finding discipline() {
        return discipline(KernelClock.isSynchronized());
    }

    static Finding discipline(boolean isSynchronized) {
        return isSynchronized
                ? Finding.ok("time", "the clock follows a time service")
                : Finding.warn("time", "nothing sets the clock of this machine", TIME_REMEDY);
    }
}
