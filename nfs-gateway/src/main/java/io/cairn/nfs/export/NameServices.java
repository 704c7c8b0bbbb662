package io.cairn.nfs.export;

/**
 * Questions of a gateway about its callers.
 *
 * @param groups in which users are
 * @param hosts names of machines
 */
public record NameServices(UserGroups groups, HostNames hosts) {}
