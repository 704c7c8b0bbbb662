package io.cairn.master.admin;

import java.nio.file.Path;
import java.util.Set;

/**
 * What the admin API is told at its start.
 *
 * @param version of the product
 * @param tokenFile where the secret of a cluster's first token goes
 * @param hostNames names, in small letters, that a request may be meant for besides addresses and
 *     {@code localhost}: others are refused, so that no web page can reach the API by a name of its
 *     own
 */
public record AdminSettings(String version, Path tokenFile, Set<String> hostNames) {}
