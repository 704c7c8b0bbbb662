package io.cairn.cli.option;

import io.cairn.client.session.PasswordLogin;
import io.cairn.identity.CertificateAuthority;
import io.cairn.identity.scram.Password;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.cert.X509Certificate;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who logs in at the masters, and where the password is.
 *
 * @param user null when the file tells it, or when nobody logs in
 * @param credentials a file with lines {@code user=NAME} and {@code password=PASSWORD}; null when
 *     the password is asked for, or when nobody logs in
 */
public record LoginSource(@Nullable String user, @Nullable Path credentials) {
    private static final int MOST_BYTES = 64 << 10;

    private static final Set<PosixFilePermission> OWNER =
            EnumSet.of(
                    PosixFilePermission.OWNER_READ,
                    PosixFilePermission.OWNER_WRITE,
                    PosixFilePermission.OWNER_EXECUTE);

    /** A name with its password. */
    public record Login(String user, String password) {
        /** Logs in with it. */
        public PasswordLogin open() {
            return new PasswordLogin(user, Password.of(password));
        }

        /** Without the password. */
        @Override
        public String toString() {
            return "login of " + user;
        }
    }

    /**
     * Reads the file, or asks for the password.
     *
     * @return null when nobody logs in
     * @throws CommandException when it cannot be read, others can read it, or there is no password
     */
    public @Nullable Login read() {
        Path file = credentials;
        if (file != null) {
            return fromFile(file);
        }
        if (user == null) {
            return null;
        }
        requireName(user, "user=" + user);
        return new Login(user, TypedPassword.of(user));
    }

    /**
     * The certificate of the authority by which the masters are known.
     *
     * @param file with it; null when nobody names one
     * @param isIdentified whether this process has a certificate of its own
     * @return null when nobody names one
     * @throws CommandException with USAGE when nobody logs in, or this process needs none
     * @throws io.cairn.base.FsException when it cannot be read, or is none
     */
    public @Nullable X509Certificate authority(@Nullable String file, boolean isIdentified) {
        if (file == null) {
            return null;
        }
        if (isIdentified) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "ca="
                            + file
                            + " is for mounts and gateways without a certificate, and this one"
                            + " has an identity: leave one of them out");
        }
        if (user == null && credentials == null) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "ca="
                            + file
                            + " is for mounts and gateways with a password: add"
                            + " credentials=FILE or user=NAME, to a gateway --credentials FILE");
        }
        return CertificateAuthority.certificateIn(Path.of(file).toAbsolutePath());
    }

    /** Whether the password is asked for. */
    public boolean asks() {
        return user != null && credentials == null;
    }

    private Login fromFile(Path file) {
        String name = user;
        String password = null;
        for (String line : text(file).lines().toList()) {
            int equals = line.indexOf('=');
            String key = equals < 0 ? line.strip() : line.substring(0, equals).strip();
            String value = line.substring(equals + 1);
            if (key.equals("user") || key.equals("username")) {
                name = user == null ? value.strip() : user;
            } else if (key.equals("password")) {
                password = value;
            } else if (!key.isEmpty() && !key.startsWith("#")) {
                throw new CommandException(
                        ExitCode.USAGE,
                        file + ": a line is neither user=NAME nor password=PASSWORD");
            }
        }
        if (name == null || password == null) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "%s has no line %s"
                            .formatted(file, name == null ? "user=NAME" : "password=PASSWORD"));
        }
        requireName(name, file + ": user=" + name);
        try {
            Password.of(password);
        } catch (IllegalArgumentException e) {
            throw new CommandException(ExitCode.USAGE, file + ": " + e.getMessage(), e);
        }
        return new Login(name, password);
    }

    private static void requireName(String name, String where) {
        if (!Password.isUserName(name)) {
            throw new CommandException(
                    ExitCode.USAGE,
                    where + ": a user has a name of letters, digits, and . _ - within");
        }
    }

    private static String text(Path file) {
        try {
            if (!OWNER.containsAll(Files.getPosixFilePermissions(file))) {
                throw new CommandException(
                        ExitCode.NO_PERMISSION,
                        file + " is open to other users: close it with 'chmod 600 " + file + "'");
            }
            if (Files.size(file) > MOST_BYTES) {
                throw new CommandException(ExitCode.USAGE, file + " is too large for a login");
            }
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            throw new CommandException(
                    ExitCode.NO_INPUT, "there is no file " + file + " with a login", e);
        } catch (CharacterCodingException e) {
            throw new CommandException(ExitCode.USAGE, file + " is no text in UTF-8", e);
        } catch (IOException e) {
            throw new CommandException(ExitCode.NO_INPUT, file + " cannot be read: " + e, e);
        }
    }
}
