package io.cairn.cli.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Collects figures and tells each at once. For one thread. */
final class Results {
    private final List<Figure> figures = new ArrayList<>();
    private final Consumer<Figure> told;

    /**
     * Nothing yet.
     *
     * @param told is told of each figure when it is there
     */
    Results(Consumer<Figure> told) {
        this.told = told;
    }

    /** Adds a speed in bytes. */
    Figure bytes(String group, String name, double bytesPerSecond, @Nullable Figure ceiling) {
        return add(new Figure(group, name, Figure.BYTES, bytesPerSecond / (1 << 20), ceiling));
    }

    /** Adds a number of operations per second. */
    Figure times(String group, String name, double perSecond, @Nullable Figure ceiling) {
        return add(new Figure(group, name, Figure.TIMES, perSecond, ceiling));
    }

    private Figure add(Figure figure) {
        figures.add(figure);
        told.accept(figure);
        return figure;
    }

    /** So many threads, in words. */
    static String threads(int count) {
        return count + (count == 1 ? " thread" : " threads");
    }

    /** All of them, in order. */
    List<Figure> figures() {
        return List.copyOf(figures);
    }
}
