package io.cairn.master.access;

import io.cairn.base.FsException;
import io.cairn.base.Subnet;
import io.cairn.fs.Name;
import io.cairn.identity.scram.Password;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A rule: {@code PATH [NAME@]ADDRESS[,ADDRESS...](OPTION,...)}. Immutable.
 *
 * @param path the tree that it opens; empty for the root
 * @param name of the certificate that the other side must have; null for anybody
 * @param addresses as they were written
 * @param ranges where mounts come from
 * @param readOnly nothing may be changed
 * @param mapping whose user numbers are replaced
 * @param denied what may not be done
 * @param user who must have logged in with a password; null for anybody
 * @param sessions how many there may be at a time from these addresses; 0 for any number
 */
public record MountRule(
        List<Name> path,
        @Nullable String name,
        String addresses,
        List<Subnet> ranges,
        boolean readOnly,
        UserMapping mapping,
        Set<Operation> denied,
        @Nullable String user,
        int sessions) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
    private static final String FORM =
            "PATH ADDRESSES(OPTION,...), as '/projects 10.0.0.0/8(rw,maproot=65534)'";

    /**
     * Parses a rule; without {@code rw} it is read-only.
     *
     * @throws IllegalArgumentException with a sentence that names the text and the remedy
     */
    public static MountRule parse(String line) {
        String text = line.strip();
        int open = text.endsWith(")") ? text.lastIndexOf('(') : text.length();
        String head = open < 0 ? "" : text.substring(0, open).stripTrailing();
        int blank = head.lastIndexOf(' ');
        if (blank < 0 || text.indexOf('\n') >= 0 || text.indexOf('\r') >= 0) {
            throw new IllegalArgumentException("'" + text + "' is not " + FORM);
        }
        String clients = head.substring(blank + 1);
        if (clients.indexOf('(') >= 0) {
            throw new IllegalArgumentException("'" + text + "' has no ')' at its end");
        }
        int at = clients.indexOf('@');
        String name = at < 0 ? null : clients.substring(0, at);
        if (name != null && !NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "'" + name + "' in front of @ is no name of a certificate");
        }
        String addresses = clients.substring(at + 1);
        Options options = new Options();
        if (open < text.length()) {
            options.parse(text.substring(open + 1, text.length() - 1));
        }
        return new MountRule(
                pathOf(head.substring(0, blank).strip()),
                name,
                addresses,
                Arrays.stream(addresses.split(",", -1)).map(Subnet::parse).toList(),
                options.readOnly,
                options.mapping,
                Set.copyOf(options.denied),
                options.user,
                options.sessions);
    }

    /**
     * The names on an absolute path.
     *
     * @throws IllegalArgumentException with a sentence that names the path
     */
    static List<Name> pathOf(String path) {
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException("the path '" + path + "' does not begin with /");
        }
        List<Name> names = new ArrayList<>();
        for (String part : path.split("/", -1)) {
            try {
                if (!part.isEmpty()) {
                    names.add(Name.of(part));
                }
            } catch (FsException e) {
                throw new IllegalArgumentException(
                        "the path '" + path + "' cannot be: " + e.getMessage(), e);
            }
        }
        return List.copyOf(names);
    }

    /** What stands between the parentheses. */
    private static final class Options {
        private boolean readOnly = true;
        private UserMapping mapping = UserMapping.NONE;
        private final Set<Operation> denied = EnumSet.noneOf(Operation.class);
        private @Nullable String user;
        private int sessions;

        void parse(String text) {
            for (String option : text.split(",", -1)) {
                if (!option.isBlank()) {
                    take(option.strip());
                }
            }
        }

        private void take(String written) {
            String option = written.toLowerCase(Locale.ROOT);
            int equals = option.indexOf('=');
            String value = option.substring(equals + 1);
            switch (equals < 0 ? option : option.substring(0, equals + 1)) {
                case "ro" -> readOnly = true;
                case "rw" -> readOnly = false;
                case "maproot=" -> map(UserMapping.Kind.ROOT, value);
                case "mapall=" -> map(UserMapping.Kind.ALL, value);
                case "deny=" ->
                        Arrays.stream(value.split(":", -1)).map(Operation::of).forEach(denied::add);
                case "user=" -> user = userOf(written.substring(equals + 1));
                case "sessions=" -> sessions = count(option, value);
                default ->
                        throw new IllegalArgumentException(
                                "there is no option '%s'; there are ro, rw, maproot=UID:GID,"
                                                .formatted(option)
                                        + " mapall=UID:GID, deny=OPERATION:..., user=NAME,"
                                        + " sessions=N");
            }
        }

        private static String userOf(String value) {
            if (!Password.isUserName(value)) {
                throw new IllegalArgumentException(
                        "'" + value + "' is no name of a user: letters, digits, and . _ - within");
            }
            return value;
        }

        private void map(UserMapping.Kind kind, String value) {
            if (mapping.kind() != UserMapping.Kind.NONE) {
                throw new IllegalArgumentException("a rule has one of maproot and mapall");
            }
            mapping = UserMapping.parse(kind, value);
        }

        private static int count(String option, String value) {
            try {
                int count = Integer.parseInt(value);
                if (count > 0) {
                    return count;
                }
            } catch (NumberFormatException e) {
                // Falls through to the one message for both.
            }
            throw new IllegalArgumentException("'" + option + "' has no number from 1 on");
        }
    }

    /** Whether it is for a client. A password alone opens only what names its user. */
    public boolean isFor(MountClient client) {
        if (name != null && !name.equals(client.name())) {
            return false;
        }
        if (user == null ? client.hasPasswordOnly() : !user.equals(client.user())) {
            return false;
        }
        byte[] address = client.address();
        return ranges.stream()
                .anyMatch(
                        range ->
                                address == null
                                        ? range.prefixBits() == 0 && range.network().length == 0
                                        : range.contains(address));
    }

    /**
     * The same for a user only, who has to log in with a password.
     *
     * @throws IllegalArgumentException when it is for another user, or the text can be no name
     */
    public MountRule withUser(String wanted) {
        if (user != null && !user.equals(wanted)) {
            throw new IllegalArgumentException("it has user=" + user + " already");
        }
        return new MountRule(
                path,
                name,
                addresses,
                ranges,
                readOnly,
                mapping,
                denied,
                Options.userOf(wanted),
                sessions);
    }

    /** Whether it opens the whole filesystem. */
    boolean isWhole() {
        return path.isEmpty();
    }

    /** Whether its path is that of another rule, or lies below it. */
    boolean isWithin(MountRule other) {
        int above = other.path.size();
        return path.size() >= above && path.subList(0, above).equals(other.path);
    }

    /** The path, for people. */
    public String pathText() {
        return path.stream().map(Name::toString).collect(Collectors.joining("/", "/", ""));
    }

    /** The one form of it. */
    public String text() {
        StringBuilder text = new StringBuilder(pathText()).append(' ');
        if (name != null) {
            text.append(name).append('@');
        }
        text.append(addresses).append(readOnly ? "(ro" : "(rw");
        if (mapping.kind() != UserMapping.Kind.NONE) {
            text.append(',').append(mapping.text());
        }
        if (!denied.isEmpty()) {
            text.append(",deny=");
            text.append(
                    denied.stream().sorted().map(Operation::word).collect(Collectors.joining(":")));
        }
        if (user != null) {
            text.append(",user=").append(user);
        }
        if (sessions > 0) {
            text.append(",sessions=").append(sessions);
        }
        return text.append(')').toString();
    }
}
