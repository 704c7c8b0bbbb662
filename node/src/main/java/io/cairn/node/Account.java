package io.cairn.node;

import io.cairn.base.Wording;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * A user and a group of this machine.
 *
 * @param uid number of the user
 * @param gid number of the group
 */
public record Account(int uid, int gid) {
    static final Account ROOT = new Account(0, 0);

    /** System accounts are below (UID_MIN of login.defs(5)), and differ from machine to machine. */
    private static final int FIRST_OF_PEOPLE = 1000;

    /** The user of this process: it owns its directory in {@code /proc} (proc(5)). */
    public static Account current() {
        try {
            Map<String, Object> owner = Files.readAttributes(Path.of("/proc/self"), "unix:uid,gid");
            return new Account(number(owner, "uid"), number(owner, "gid"));
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.OS_ERROR, "/proc does not tell who runs this: " + Wording.of(e), e);
        }
    }

    private static int number(Map<String, Object> owner, String field) {
        return owner.get(field) instanceof Integer number ? number : 0;
    }

    /**
     * The owner of directories that a service makes for people: a person, or root. The system
     * account that a package made for the service has another number on the next machine.
     */
    public Account person() {
        return uid < FIRST_OF_PEOPLE ? ROOT : this;
    }
}
