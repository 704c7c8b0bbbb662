/**
 * Tests of the client against a cluster in memory that is honest to the wire's contract: masters
 * and chunk servers behind a network that loses requests, answers and connections when told to.
 */
@NullUnmarked
package io.cairn.client;

import org.jspecify.annotations.NullUnmarked;
