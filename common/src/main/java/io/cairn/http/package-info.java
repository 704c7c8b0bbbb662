/** HTTP: the server, its requests and answers, certificates, and the door of the administration. */
@NullMarked
package io.cairn.http;

import org.jspecify.annotations.NullMarked;
