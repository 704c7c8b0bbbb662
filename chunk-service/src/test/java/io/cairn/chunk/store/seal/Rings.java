package io.cairn.chunk.store.seal;

import io.cairn.seal.MasterKey;
import io.cairn.seal.WrappedKey;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Keyrings of tests. */
public final class Rings {
    private Rings() {}

    /** A master key, another one for each number. */
    public static MasterKey master(int number) {
        byte[] bytes = new byte[MasterKey.KEY_BYTES];
        Arrays.fill(bytes, (byte) number);
        return new MasterKey(bytes);
    }

    /** A key of a class, wrapped with the first master key. */
    public static WrappedKey key(int number) {
        return key(number, 1);
    }

    /** The same key, wrapped with a master key. */
    public static WrappedKey key(int number, int master) {
        byte[] secret = new byte[MasterKey.KEY_BYTES];
        new Random(number).nextBytes(secret);
        return master(master).wrap(number, secret, new Random(number));
    }

    /** Another key with the number of one. */
    public static WrappedKey another(int number) {
        byte[] secret = new byte[MasterKey.KEY_BYTES];
        new Random(-number).nextBytes(secret);
        return master(1).wrap(number, secret, new Random(number));
    }

    /** A ring with one key, which all groups have. */
    public static Keyring of(int number) {
        Keyring ring = new Keyring(master(1));
        ring.learn(List.of(key(number)));
        ring.placeBy(_ -> number);
        return ring;
    }
}
