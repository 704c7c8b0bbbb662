package io.cairn.master;

import io.cairn.cluster.Endpoint;
import io.cairn.net.Connection;
import io.cairn.net.Message;
import io.cairn.wire.Decoder;
import io.cairn.wire.ProtocolRange;
import io.cairn.wire.master.Push;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToLongFunction;

/** A client that answers pushes when the test says so. */
final class PushedPeer implements Connection {
    /** What the test keeps of each push, in order. */
    final List<Long> told = new ArrayList<>();

    final List<CompletableFuture<Message>> answers = new ArrayList<>();
    private final ToLongFunction<Push> kept;

    PushedPeer(ToLongFunction<Push> kept) {
        this.kept = kept;
    }

    private void tell(Message message) {
        byte[] header = message.encoded(version()).header();
        told.add(kept.applyAsLong(Push.decode(new Decoder(header, 1, header.length - 1))));
    }

    void answer() {
        answers.forEach(each -> each.complete(Message.empty()));
    }

    @Override
    public Endpoint remote() {
        return new Endpoint("peer", 1);
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public int version() {
        return ProtocolRange.FIRST;
    }

    @Override
    public String release() {
        return "peer";
    }

    @Override
    public CompletableFuture<Message> call(Message request, long timeoutMs) {
        tell(request);
        CompletableFuture<Message> answer = new CompletableFuture<>();
        answers.add(answer);
        return answer;
    }

    @Override
    public void send(Message oneWay) {
        tell(oneWay);
    }

    @Override
    public void close() {}
}
