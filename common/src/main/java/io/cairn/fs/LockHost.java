package io.cairn.fs;

/**
 * A machine that takes locks over a network protocol whose locks outlive connections and gateways
 * (NLM). Two machines that give the same name, as those called "localhost" do, are told apart by
 * their addresses.
 *
 * @param name what the machine calls itself; each char is one byte of the name
 * @param address where its calls come from, as text
 */
public record LockHost(String name, String address) {
    /** Longest name, in bytes. */
    public static final int MAX_NAME_BYTES = 255;

    /** Longest address, in bytes. */
    public static final int MAX_ADDRESS_BYTES = 64;

    /** For people: whatever a client has put into its name, this is one line of plain text. */
    @Override
    public String toString() {
        return name.replaceAll("[^\\x21-\\x7e]", "?") + " (" + address + ")";
    }
}
