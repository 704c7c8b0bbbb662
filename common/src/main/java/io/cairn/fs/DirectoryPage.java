package io.cairn.fs;

import java.util.List;

/**
 * A part of a directory listing, in cookie order.
 *
 * @param entries the entries
 * @param end whether the directory ends after them
 */
public record DirectoryPage(List<DirectoryEntry> entries, boolean end) {}
