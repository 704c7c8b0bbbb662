package io.cairn.master;

/**
 * A master that is there, and what it runs.
 *
 * @param id its name
 * @param release as it tells it
 * @param newest the newest version of the protocol that it understands
 */
public record MasterRelease(String id, String release, int newest) {}
