package io.cairn.nfs.export;

/**
 * What a gateway asks of others about its callers.
 *
 * @param groups in which users are
 * @param hosts names of machines
 */
public record NameServices(UserGroups groups, HostNames hosts) {}
