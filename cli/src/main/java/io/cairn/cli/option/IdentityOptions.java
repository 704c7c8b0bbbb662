package io.cairn.cli.option;

import io.cairn.identity.Identity;
import io.cairn.identity.JoinToken;
import io.cairn.net.Principal.Role;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.ProcessContext;
import io.cairn.node.identity.Credentials;
import io.cairn.node.identity.Joining;
import io.cairn.runtime.Clock;
import io.cairn.runtime.OwnerOnly;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Who a process is in a cluster with TLS. */
public final class IdentityOptions {
    @Option(
            names = "--identity",
            paramLabel = "DIR",
            description = {
                "Where the certificate of this process is kept: in a cluster with TLS.",
                "A chunk server keeps it in its first --data directory unless you say otherwise.",
                "In /etc/fstab it is the mount option identity=DIR."
            })
    private @Nullable Path directory;

    @Option(
            names = "--join",
            paramLabel = "TOKEN",
            description = {
                "Get a certificate for a token of 'cairn ca join-token', unless there is one"
                        + " already."
            })
    private @Nullable String token;

    /** The option of a mount that stands for {@code --identity}, as in {@code /etc/fstab}. */
    private static final String MOUNT_OPTION = "identity=";

    /** Where commands without the option find the identity to speak with. */
    public static final String VARIABLE = "CAIRN_IDENTITY";

    /**
     * Takes the identity out of mount options.
     *
     * @param mountOptions the value of {@code -o}
     * @return the other options
     * @throws CommandException with USAGE when it is told twice, or as a relative path
     */
    public String takeFrom(String mountOptions) {
        List<String> others = new ArrayList<>();
        for (String each : mountOptions.split(",", -1)) {
            if (!each.startsWith(MOUNT_OPTION)) {
                others.add(each);
                continue;
            }
            Path told = Path.of(each.substring(MOUNT_OPTION.length()));
            if (directory != null) {
                throw new CommandException(
                        ExitCode.USAGE, "-o " + each + ": the identity is told twice");
            }
            if (!told.isAbsolute()) {
                throw new CommandException(
                        ExitCode.USAGE, "-o " + each + ": give it as an absolute path");
            }
            directory = told;
        }
        return String.join(",", others);
    }

    /**
     * The world of a command that speaks to a cluster for a moment: with the identity in the
     * directory that the variable {@code CAIRN_IDENTITY} names, if it is set.
     *
     * @throws io.cairn.base.FsException when the identity cannot be read
     */
    public static ProcessContext worldOfCommand() {
        String told = System.getenv(VARIABLE);
        if (told == null || told.isEmpty()) {
            return new ProcessContext();
        }
        Path at = Path.of(told).toAbsolutePath();
        if (!Identity.isIn(at)) {
            throw new CommandException(
                    ExitCode.NO_INPUT, VARIABLE + " names " + at + ", which holds no identity");
        }
        Credentials own = new Credentials(at, Identity.read(at));
        return new ProcessContext(null, OptionalInt.empty(), own);
    }

    /**
     * The identity of this process, which it gets now if it has a token and no identity.
     *
     * @param standard where it is kept if nobody says; null for nowhere
     * @return null when it has none: its connections are plain
     * @throws CommandException when the token or the identity is of another role
     * @throws io.cairn.base.FsException when it cannot be read, or no master gives one
     */
    public @Nullable Credentials open(Role role, @Nullable Path standard) {
        Path at = directory == null ? standard : directory;
        if (at == null) {
            if (token != null) {
                throw new CommandException(
                        ExitCode.USAGE, "--join needs --identity DIR, to keep the certificate in");
            }
            return null;
        }
        if (!Identity.isIn(at) && token != null) {
            join(JoinToken.parse(token), role, at);
        }
        if (!Identity.isIn(at)) {
            if (directory == null) {
                return null;
            }
            throw new CommandException(
                    ExitCode.NO_INPUT,
                    "%s holds no identity: make a token with 'cairn ca join-token --role %s --name"
                                    .formatted(at, role.text())
                            + " NAME', and give it with --join");
        }
        Identity identity = Identity.read(at);
        requireRole(identity.subject().role(), role, at.toString());
        return new Credentials(at.toAbsolutePath(), identity);
    }

    private static void join(JoinToken token, Role role, Path at) {
        requireRole(token.role(), role, "the token");
        OwnerOnly.begin();
        Identity identity = Joining.join(token, at, Clock.system(), new SecureRandom());
        System.out.println(
                "cairn: joined as %s %s, certificate in %s until %s"
                        .formatted(role.text(), identity.subject().name(), at, identity.expires()));
    }

    private static void requireRole(Role found, Role wanted, String where) {
        if (found != wanted) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "%s is for a %s, and this is a %s: make a token with --role %s"
                            .formatted(where, found.text(), wanted.text(), wanted.text()));
        }
    }

    /** The identity again, for another process. */
    public List<String> arguments() {
        return directory == null
                ? List.of()
                : List.of("--identity", directory.toAbsolutePath().toString());
    }
}
