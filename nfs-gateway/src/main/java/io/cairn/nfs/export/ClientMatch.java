package io.cairn.nfs.export;

import java.net.InetAddress;

/** Which machines a rule of an export is for. Immutable. */
public sealed interface ClientMatch permits AddressRange, NamePattern, Netgroup {
    /**
     * Whether a machine is one of them; may ask the name service, and block for some seconds.
     *
     * @param names who knows names
     */
    boolean matches(InetAddress client, HostNames names);

    /**
     * How narrow it is; of all that match the narrowest counts. As exports(5) has it: hosts and
     * networks by their prefix, then patterns of names, then netgroups, then everybody.
     */
    int specificity();
}
