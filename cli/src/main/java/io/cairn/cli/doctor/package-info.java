/**
 * The checks of {@code cairn doctor}. A check reads the machine through {@link
 * io.cairn.cli.doctor.Machine}, whose files a test can make up, and answers {@link
 * io.cairn.cli.doctor.Finding}s: what it saw, how bad that is for Cairn, and what to do. A check
 * never throws because the machine is odd: what cannot be read is a finding, too.
 */
@NullMarked
package io.cairn.cli.doctor;

import org.jspecify.annotations.NullMarked;
