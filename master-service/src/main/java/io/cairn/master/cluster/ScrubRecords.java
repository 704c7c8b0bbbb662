package io.cairn.master.cluster;

import io.cairn.metadata.Namespace;
import io.cairn.metadata.cluster.AdminRecord;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import io.cairn.wire.scrub.ScrubReport.Order;
import io.cairn.wire.scrub.ScrubReport.Orders;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * How blobs are to be verified, as the replicated state has it: the record {@code setting/scrub}
 * holds the period in seconds and the share in percent, {@code scrub/TARGET} the number of the last
 * order of an operator for a target.
 */
public final class ScrubRecords {
    public static final String SETTING = "setting/scrub";

    private static final String ORDER = "scrub/";

    private ScrubRecords() {}

    /** The key of the order for a target. */
    public static String order(long identity) {
        return ORDER + HexFormat.of().toHexDigits(identity);
    }

    /** The value of an order. */
    public static byte[] value(long number) {
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }

    /** The value of the setting. */
    public static byte[] value(long periodSeconds, int sharePercent) {
        return (periodSeconds + " " + sharePercent).getBytes(StandardCharsets.US_ASCII);
    }

    /** The setting, without orders. */
    public static Orders setting(Namespace namespace) {
        List<String> words = words(namespace, SETTING);
        return words.size() != 2
                ? Orders.STANDARD
                : new Orders(
                        Long.parseLong(words.getFirst()) * 1_000,
                        Integer.parseInt(words.getLast()),
                        List.of());
    }

    /** What the server of some targets has to know. */
    static Orders of(Namespace namespace, List<TargetReport> targets) {
        List<Order> orders = new ArrayList<>();
        for (TargetReport target : targets) {
            long number = order(namespace, target.identity());
            if (number != 0) {
                orders.add(new Order(target.identity(), number));
            }
        }
        Orders setting = setting(namespace);
        return new Orders(setting.periodMs(), setting.sharePercent(), orders);
    }

    /** The last order for a target: when it was given, in milliseconds since 1970; 0 for none. */
    public static long order(Namespace namespace, long identity) {
        List<String> words = words(namespace, order(identity));
        return words.isEmpty() ? 0 : Long.parseLong(words.getFirst());
    }

    private static List<String> words(Namespace namespace, String key) {
        List<AdminRecord> found = namespace.records(key, "", 1);
        if (found.isEmpty() || !found.getFirst().key().equals(key)) {
            return List.of();
        }
        String text = new String(found.getFirst().value(), StandardCharsets.US_ASCII);
        return List.of(text.split(" "));
    }
}
