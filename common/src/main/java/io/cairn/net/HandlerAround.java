package io.cairn.net;

/** A handler that does something about the requests of another one, and leaves it all else. */
abstract class HandlerAround implements Handler {
    /** The handler inside. */
    final Handler handler;

    HandlerAround(Handler handler) {
        this.handler = handler;
    }

    @Override
    public int newestVersion() {
        return handler.newestVersion();
    }

    @Override
    public void opened(Connection connection) {
        handler.opened(connection);
    }

    @Override
    public void closed(Connection connection) {
        handler.closed(connection);
    }
}
