package io.cairn.node.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;

/**
 * Drops what Ratis calls an error and is none: another master's request that reached this one while
 * it started or ended. The other master asks again, or somebody else. Who sets the logger to debug
 * sees these lines too.
 */
public final class NotReadyFilter extends TurboFilter {
    private static final String LIBRARY = "org.apache.ratis.";

    /** By name: this module does not know Ratis. */
    private static final String NOT_READY =
            "org.apache.ratis.protocol.exceptions.ServerNotReadyException";

    @Override
    public FilterReply decide(
            @Nullable Marker marker,
            Logger logger,
            Level level,
            @Nullable String format,
            @Nullable Object @Nullable [] parameters,
            @Nullable Throwable thrown) {
        boolean harmless =
                logger.getName().startsWith(LIBRARY)
                        && logger.getEffectiveLevel().isGreaterOrEqual(Level.INFO)
                        && isNotReady(thrown == null ? last(parameters) : thrown);
        return harmless ? FilterReply.DENY : FilterReply.NEUTRAL;
    }

    /** The last parameter of a message is what was thrown, if it is a throwable. */
    private static @Nullable Object last(@Nullable Object @Nullable [] parameters) {
        return parameters == null || parameters.length == 0
                ? null
                : parameters[parameters.length - 1];
    }

    private static boolean isNotReady(@Nullable Object thrown) {
        return thrown instanceof Throwable each
                && (each.getClass().getName().equals(NOT_READY) || isNotReady(each.getCause()));
    }
}
