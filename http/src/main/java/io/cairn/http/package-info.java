/**
 * HTTP/1.1 for health, metrics and administration: the server, requests and answers, certificates
 * that are read again when they change, streams of events. Requests are bounded in size and time.
 * Handlers run on threads that may block.
 */
@NullMarked
package io.cairn.http;

import org.jspecify.annotations.NullMarked;
