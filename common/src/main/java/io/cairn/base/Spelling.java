package io.cairn.base;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Finds the word that was meant by a word with a typing error. */
public final class Spelling {
    private Spelling() {}

    /** A sentence behind others, " Did you mean 'x'?", or nothing when no candidate is near. */
    public static String hint(Collection<String> candidates, String word) {
        String nearest = nearest(candidates, word);
        return nearest == null ? "" : " Did you mean '" + nearest + "'?";
    }

    /** The candidate with the smallest edit distance, or null when none is near. */
    public static @Nullable String nearest(Collection<String> candidates, String word) {
        String best = null;
        int bestDistance = Math.max(2, Math.min(word.length(), 30) / 3) + 1;
        for (String candidate : candidates) {
            int distance = word.length() > 100 ? bestDistance : distance(candidate, word);
            if (distance < bestDistance) {
                bestDistance = distance;
                best = candidate;
            }
        }
        return best;
    }

    private static int distance(String a, String b) {
        int[] previous = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replace = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replace, Math.min(previous[j], row[j - 1]) + 1);
            }
            previous = row;
        }
        return previous[b.length()];
    }
}
