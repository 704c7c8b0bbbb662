package io.cairn.identity;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.net.Principal;
import io.cairn.net.Principal.Role;
import java.security.cert.X509Certificate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/**
 * The holder of a certificate. In the certificate it is the name {@code CN=NAME,OU=ROLE,O=CLUSTER}.
 *
 * @param cluster the id of the certificate authority
 * @param name unique within the role: 1..64 letters, digits, dots, dashes, underscores
 */
public record Subject(String cluster, Role role, String name) {
    private static final String PLAIN = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}";
    private static final Pattern NAME = Pattern.compile(PLAIN);
    private static final Pattern TEXT =
            Pattern.compile("CN=(%s),OU=([a-z]+),O=(%s)".formatted(PLAIN, PLAIN));

    /**
     * Checks the parts.
     *
     * @throws FsException EINVAL when there is no certificate for the role or the name
     */
    public Subject {
        if (!role.isCertified()) {
            throw new FsException(Errno.EINVAL, "there are no certificates of role " + role);
        }
        if (!NAME.matcher(name).matches()) {
            throw new FsException(
                    Errno.EINVAL,
                    "'%s' cannot stand in a certificate: a name is 1 to 64 letters, digits, dots,"
                                    .formatted(name)
                            + " dashes and underscores, and begins with a letter or digit");
        }
    }

    /** The subject of a certificate of ours; null when it names nothing of ours. */
    static @Nullable Subject of(X509Certificate certificate) {
        String text = certificate.getSubjectX500Principal().getName(X500Principal.RFC2253);
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            return null;
        }
        Role role = Role.of(parts.group(2));
        return role == null ? null : new Subject(parts.group(3), role, parts.group(1));
    }

    /** Its name in a certificate. */
    String distinguishedName() {
        return "CN=%s,OU=%s,O=%s".formatted(name, role.text(), cluster);
    }

    /** The holder at the other side of a connection. */
    Principal at(String address) {
        return new Principal(role, name, address);
    }
}
