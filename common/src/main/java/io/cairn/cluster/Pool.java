package io.cairn.cluster;

/**
 * A set of placement groups with one redundancy rule. Never changes; when servers join, a younger
 * pool with the same rule takes the new files.
 *
 * @param id number, from 1
 * @param replicas copies of every chunk, 1..15
 * @param firstGroup number of its first placement group; its groups are numbered consecutively
 * @param groupCount how many groups, from 1
 */
public record Pool(int id, int replicas, int firstGroup, int groupCount) {}
