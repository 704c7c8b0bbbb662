package io.cairn.master.raft.member;

import io.cairn.cluster.Endpoint;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.jspecify.annotations.Nullable;

/**
 * The masters of the group as this one knows them: the newest configuration in its log, which may
 * change at any time; before there is one, what it was told at its start. While a change is under
 * way the old and the new ones belong to it. Thread-safe.
 */
public final class MemberList {
    private final Peer self;
    private final List<Peer> told;
    private final List<Endpoint> doors;
    private volatile RaftServer.@Nullable Division division;

    /**
     * A list.
     *
     * @param self this master
     * @param told all masters, as this process was told; empty while it joins a group
     * @param doors where masters of the group that it joins may be reached
     */
    public MemberList(Peer self, List<Peer> told, List<Endpoint> doors) {
        this.self = self;
        this.told = List.copyOf(told);
        this.doors = List.copyOf(doors);
    }

    /** From now on the configuration of this division counts. */
    public void follow(RaftServer.Division of) {
        division = of;
    }

    /** This master. */
    public Peer self() {
        return self;
    }

    /** The name of this master. */
    public String id() {
        return self.id();
    }

    /** Whether this master was told to join a group that exists. */
    public boolean joins() {
        return !doors.isEmpty();
    }

    /** Where masters of the group that it joins may be reached. */
    public List<Endpoint> doors() {
        return doors;
    }

    /** All masters, by name; without this one when it is not among them. */
    public List<Peer> peers() {
        RaftConfiguration conf = configuration();
        if (conf == null) {
            return told;
        }
        Collection<RaftPeer> known = conf.getAllPeers();
        TreeMap<String, Peer> peers = new TreeMap<>();
        known.forEach(each -> peers.put(each.getId().toString(), Peer.of(each)));
        // A new address of a master stands in the newest list only.
        conf.getCurrentPeers().forEach(each -> peers.put(each.getId().toString(), Peer.of(each)));
        return new ArrayList<>(peers.values());
    }

    /** The names of all masters. */
    public Set<String> ids() {
        Set<String> ids = new TreeSet<>();
        peers().forEach(peer -> ids.add(peer.id()));
        return ids;
    }

    /** Whether somebody is one of the masters. */
    public boolean contains(String id) {
        RaftConfiguration conf = configuration();
        return conf == null
                ? told.stream().anyMatch(peer -> peer.id().equals(id))
                : conf.getPeer(RaftPeerId.valueOf(id)) != null;
    }

    /** Whether this master is one of them. */
    public boolean containsSelf() {
        return contains(self.id());
    }

    /** Whether there is no other master, and none is about to come. */
    public boolean alone() {
        List<Peer> peers = peers();
        return peers.size() == 1 && peers.getFirst().id().equals(self.id());
    }

    /** The index of the log entry that the list stands in, -1 when it was only told. */
    public long index() {
        RaftConfiguration conf = configuration();
        return conf == null ? -1 : conf.getLogEntryIndex();
    }

    /** The configuration, or null while there is none with any member. */
    private @Nullable RaftConfiguration configuration() {
        RaftServer.Division of = division;
        RaftConfiguration conf = of == null ? null : of.getRaftConf();
        return conf == null || conf.getAllPeers().isEmpty() ? null : conf;
    }

    /** A sentence's list: {@code m1=10.0.0.1:9872, m2=10.0.0.2:9872}. */
    public static String text(Collection<Peer> peers) {
        return String.join(
                ", ",
                peers.stream().sorted(Comparator.comparing(Peer::id)).map(Peer::toString).toList());
    }
}
