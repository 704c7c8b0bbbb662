package io.cairn.testkit.simulated;

/**
 * How bad a simulated network is. Probabilities (0..1) are for each message.
 *
 * @param minDelayMicros least time under way
 * @param maxDelayMicros longest usual time under way
 * @param stallProbability a message, and all behind it, are late
 * @param stallMs by up to this long
 * @param breakProbability the connection breaks: a random part of what is under way still arrives
 */
public record NetworkFaults(
        int minDelayMicros,
        int maxDelayMicros,
        double stallProbability,
        int stallMs,
        double breakProbability) {
    /** Fast and faultless. */
    public static final NetworkFaults NONE = new NetworkFaults(20, 200, 0, 0, 0);

    /** A bad day. */
    public static final NetworkFaults ROUGH = new NetworkFaults(20, 5_000, 0.02, 3_000, 0.002);

    /** Wide but faultless delays. */
    public static final NetworkFaults SLOW = new NetworkFaults(20, 20_000, 0.05, 200, 0);
}
