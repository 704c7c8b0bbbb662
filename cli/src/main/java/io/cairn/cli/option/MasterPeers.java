package io.cairn.cli.option;

import io.cairn.master.raft.member.Peer;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.MasterList;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Masters with their names on the command line: {@code NAME=HOST:PORT[,...]}. */
public final class MasterPeers {
    private MasterPeers() {}

    /**
     * Parses them; fails with USAGE.
     *
     * @param where the text stands, for the message
     */
    public static List<Peer> parse(String where, @Nullable String text) {
        List<Peer> peers = new ArrayList<>();
        for (String part : String.valueOf(text).split(",", -1)) {
            int equals = part.indexOf('=');
            if (equals <= 0) {
                throw new CommandException(
                        ExitCode.USAGE, "'" + part + "' in " + where + " is not NAME=HOST:PORT");
            }
            peers.add(
                    new Peer(
                            part.substring(0, equals).strip(),
                            MasterList.endpoint(part.substring(equals + 1).strip())));
        }
        return peers;
    }
}
