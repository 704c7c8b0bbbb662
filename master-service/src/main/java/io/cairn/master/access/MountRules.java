package io.cairn.master.access;

import io.cairn.metadata.Namespace;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The rules of a cluster, in order. Thread-safe; the rules never change. */
public final class MountRules {
    /** No rules: all may do everything, but for those who show nothing but a password. */
    public static final MountRules NONE = new MountRules(List.of());

    /** The record of the administration that holds them, one line a rule. */
    public static final String RECORD = "access/mounts";

    /** How many there may be. */
    public static final int MAX_RULES = 1000;

    private static final int MAX_KNOWN = 4096;

    private final List<MountRule> rules;
    private final Map<MountClient, List<MountRule>> known = new ConcurrentHashMap<>();

    private MountRules(List<MountRule> rules) {
        this.rules = rules;
    }

    /** These rules. */
    public static MountRules of(List<MountRule> rules) {
        return new MountRules(List.copyOf(rules));
    }

    /**
     * The rules in the value of the record.
     *
     * @throws IllegalArgumentException when a line is no rule
     */
    static MountRules decode(byte[] value) {
        List<MountRule> rules = new ArrayList<>();
        new String(value, StandardCharsets.UTF_8)
                .lines()
                .filter(line -> !line.isBlank())
                .forEach(line -> rules.add(MountRule.parse(line)));
        return of(rules);
    }

    /** The value of the record. */
    public byte[] encode() {
        StringBuilder text = new StringBuilder();
        rules.forEach(rule -> text.append(rule.text()).append('\n'));
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Tells whether there are rules in a state as it is then, or a record that nobody can read. */
    public static BooleanSupplier presence(Supplier<Namespace> namespace) {
        RecordBook<MountRules> book = new RecordBook<>(namespace, RECORD, NONE, MountRules::decode);
        return () -> {
            MountRules rules = book.value();
            return rules == null || !rules.list().isEmpty();
        };
    }

    /** All, in order. */
    public List<MountRule> list() {
        return rules;
    }

    /** Whether there are more for a client once it has logged in with a password. */
    public boolean askUser(MountClient client) {
        return client.user() == null
                && rules.stream()
                        .anyMatch(
                                rule -> {
                                    String user = rule.user();
                                    return user != null && rule.isFor(client.as(user));
                                });
    }

    /** Those for a client, in order. */
    public List<MountRule> of(MountClient client) {
        List<MountRule> found = known.get(client);
        if (found == null) {
            found = rules.stream().filter(rule -> rule.isFor(client)).toList();
            if (known.size() >= MAX_KNOWN) {
                known.clear();
            }
            known.put(client, found);
        }
        return found;
    }
}
