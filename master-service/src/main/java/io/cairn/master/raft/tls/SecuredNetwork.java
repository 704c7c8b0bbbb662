package io.cairn.master.raft.tls;

import io.cairn.net.Refusals;
import io.cairn.net.Transport;

/**
 * What masters with certificates speak to each other over.
 *
 * @param transport with TLS; closed by who made it
 * @param refusals hears of those that are no masters
 */
public record SecuredNetwork(Transport transport, Refusals refusals) {}
