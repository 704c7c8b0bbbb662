package io.cairn.nfs.export;

import io.cairn.fs.Caller;
import io.cairn.nfs.rpc.Credential;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * The rights of some clients with an export. Immutable.
 *
 * @param clients the text that named them, for {@code showmount -e}
 * @param matches which machines these are
 * @param readOnly nothing may be changed
 * @param squash whose user numbers are replaced
 * @param anonymousUid by this user
 * @param anonymousGid and this group
 * @param secure only ports below 1024 are served, which need privilege on the client
 * @param sizes of READ and WRITE
 */
public record ClientRule(
        String clients,
        List<ClientMatch> matches,
        boolean readOnly,
        Squash squash,
        int anonymousUid,
        int anonymousGid,
        boolean secure,
        TransferSizes sizes) {

    /** Whose user numbers are not believed. */
    public enum Squash {
        NONE,
        ROOT,
        ALL
    }

    /** The user and group nobody, as Linux has them. */
    private static final int NOBODY = 65_534;

    private static final int RESERVED_PORTS = 1024;
    private static final int NO_ID = -1;

    /** The standard of exports(5): read-only, root squashed, reserved ports only. */
    static ClientRule standard(String clients) {
        return new ClientRule(
                clients,
                AddressRange.parse(clients),
                true,
                Squash.ROOT,
                NOBODY,
                NOBODY,
                true,
                TransferSizes.STANDARD);
    }

    /**
     * Parses {@code CLIENTS(OPTION,...)} with the options of exports(5): {@code ro rw root_squash
     * no_root_squash all_squash no_all_squash anonuid=N anongid=N secure insecure}, {@code
     * rsize=BYTES wsize=BYTES}, and what {@link StandardOptions} takes.
     *
     * @throws IllegalArgumentException with a sentence that names the text
     */
    public static ClientRule parse(String text) {
        return parse(text, "");
    }

    /** The same after options that the line has for all clients. */
    static ClientRule parse(String text, String first) {
        int open = text.indexOf('(');
        if (open >= 0 && !text.endsWith(")")) {
            throw new IllegalArgumentException("'" + text + "' has no ')' at its end");
        }
        String clients = open < 0 ? text : open == 0 ? "*" : text.substring(0, open);
        String own = open < 0 ? "" : text.substring(open + 1, text.length() - 1);
        ClientRule rule = standard(clients);
        for (String option : (first + "," + own).split(",", -1)) {
            if (!option.isBlank()) {
                rule = rule.with(option.strip().toLowerCase(Locale.ROOT));
            }
        }
        return rule;
    }

    private ClientRule with(String option) {
        return switch (option) {
            case "ro" -> with(true, squash, secure);
            case "rw" -> with(false, squash, secure);
            case "root_squash" -> with(readOnly, Squash.ROOT, secure);
            case "no_root_squash" -> with(readOnly, Squash.NONE, secure);
            case "all_squash" -> with(readOnly, Squash.ALL, secure);
            case "no_all_squash" ->
                    with(readOnly, squash == Squash.ALL ? Squash.ROOT : squash, secure);
            case "secure" -> with(readOnly, squash, true);
            case "insecure" -> with(readOnly, squash, false);
            default -> withNumber(option);
        };
    }

    private ClientRule with(boolean newReadOnly, Squash newSquash, boolean newSecure) {
        return new ClientRule(
                clients,
                matches,
                newReadOnly,
                newSquash,
                anonymousUid,
                anonymousGid,
                newSecure,
                sizes);
    }

    private ClientRule withNumber(String option) {
        if (option.startsWith("anonuid=")) {
            return withAnonymous(number(option), anonymousGid);
        }
        if (option.startsWith("anongid=")) {
            return withAnonymous(anonymousUid, number(option));
        }
        if (option.startsWith("rsize=")) {
            int bytes = TransferSizes.check(option, number(option));
            return withSizes(new TransferSizes(bytes, sizes.writeBytes()));
        }
        if (option.startsWith("wsize=")) {
            int bytes = TransferSizes.check(option, number(option));
            return withSizes(new TransferSizes(sizes.readBytes(), bytes));
        }
        if (StandardOptions.isHarmless(option)) {
            return this;
        }
        throw new IllegalArgumentException(
                "unknown export option '"
                        + option
                        + "'; there are ro, rw, root_squash, no_root_squash, all_squash, anonuid=N,"
                        + " anongid=N, secure, insecure, rsize=BYTES, wsize=BYTES");
    }

    private ClientRule withSizes(TransferSizes newSizes) {
        return new ClientRule(
                clients, matches, readOnly, squash, anonymousUid, anonymousGid, secure, newSizes);
    }

    private ClientRule withAnonymous(int uid, int gid) {
        return new ClientRule(clients, matches, readOnly, squash, uid, gid, secure, sizes);
    }

    private static int number(String option) {
        try {
            int number = Integer.parseUnsignedInt(option.substring(option.indexOf('=') + 1));
            if (number == NO_ID) {
                throw new IllegalArgumentException("'" + option + "' is no user and no group");
            }
            return number;
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + option + "' has no number", e);
        }
    }

    /** Whether a client's port is acceptable. */
    public boolean allowsPort(int port) {
        return !secure || port < RESERVED_PORTS;
    }

    /**
     * The user on whose behalf a call runs. 4294967295 is no user and no group, but what chown(2)
     * takes for "leave it"; who comes with it is anonymous.
     */
    public Caller caller(Credential credential) {
        boolean anonymous =
                !credential.known()
                        || squash == Squash.ALL
                        || credential.uid() == NO_ID
                        || (squash == Squash.ROOT && credential.uid() == 0);
        if (anonymous) {
            return Caller.of(anonymousUid, anonymousGid);
        }
        int[] groups = IntStream.of(credential.groups()).map(this::group).toArray();
        return new Caller(credential.uid(), group(credential.gid()), groups, false);
    }

    private int group(int gid) {
        boolean replaced = gid == NO_ID || (squash == Squash.ROOT && gid == 0);
        return replaced ? anonymousGid : gid;
    }
}
