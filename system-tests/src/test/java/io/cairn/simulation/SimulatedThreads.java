package io.cairn.simulation;

import java.lang.reflect.Constructor;
import java.util.concurrent.Executor;

/**
 * Threads that block, in a simulation: virtual threads whose scheduler is the queue of a simulated
 * process. Such a thread runs only as a task of that queue, on the simulation's own thread, until
 * it waits for something; what it waits for puts it into the queue again. So the client's blocking
 * calls take part in the simulation as they are, and a process that stops never wakes up.
 *
 * <p>The JDK has the means but does not publish it: the tests of this module open {@code java.lang}
 * with {@code --add-opens}.
 */
final class SimulatedThreads {
    private final Constructor<?> builder;

    SimulatedThreads() {
        try {
            builder =
                    Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder")
                            .getDeclaredConstructor(Executor.class);
            builder.setAccessible(true);
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new IllegalStateException(
                    "blocking threads cannot be simulated: run with Java 25 and"
                            + " --add-opens java.base/java.lang=ALL-UNNAMED",
                    e);
        }
    }

    /** Starts a thread as a task of a queue. */
    void start(String name, Executor queue, Runnable work) {
        try {
            Thread.Builder.OfVirtual virtual =
                    (Thread.Builder.OfVirtual) builder.newInstance(queue);
            virtual.name(name).start(work);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("a simulated thread cannot be made", e);
        }
    }
}
