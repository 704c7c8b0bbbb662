/**
 * Mount rules: which addresses may reach which tree, and what they may do there. The rules are a
 * record of the administration; the leader asks {@link io.cairn.master.access.MountAdmission} about
 * every request of a session, as a client is not trusted. A rule can ask for a user with a
 * password: {@link io.cairn.master.access.Logins} knows who has logged in over which connection.
 * Chunk servers ask nobody: {@link io.cairn.master.access.TicketIssuer} signs what they believe.
 *
 * <pre>
 *   request -> MountAdmission: rules of the address?  no rules at all -> on, nothing was decoded
 *                             |
 *                         Visit: inodes in a tree of a rule?  read-only?  denied?
 *                             |
 *                         MappedRights: owners replaced; what this user may not do is refused
 *                             |
 *                         on, as it may be done
 * </pre>
 *
 * <p>A request needs an inode; the first rule of the address whose tree has it decides. Nothing
 * about the tree is remembered between two requests.
 */
@NullMarked
package io.cairn.master.access;

import org.jspecify.annotations.NullMarked;
