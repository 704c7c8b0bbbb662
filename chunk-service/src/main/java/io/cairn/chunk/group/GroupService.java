package io.cairn.chunk.group;

import io.cairn.chunk.peer.PeerContext;

/**
 * Everything this server does for one placement group.
 *
 * @param member term and turns
 * @param headWrites changes, when it is the head
 * @param memberWrites changes, when it follows the head
 * @param reader what changes nothing
 * @param flushing durability
 * @param repair bad blocks
 */
public record GroupService(
        GroupMember member,
        HeadWrites headWrites,
        MemberWrites memberWrites,
        Reader reader,
        Flushing flushing,
        Repair repair,
        Relays relays) {

    static GroupService of(PeerContext station, GroupMember member) {
        Flushing flushing = new Flushing(station, member);
        return new GroupService(
                member,
                new HeadWrites(station, member, flushing),
                new MemberWrites(station, member),
                new Reader(station, member),
                flushing,
                new Repair(station, member),
                new Relays(station, member));
    }
}
