package io.cairn.chunk;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.net.Answer;
import io.cairn.net.Message;
import io.cairn.net.Principal;
import io.cairn.net.Principal.Role;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Push;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MasterNewsTest {
    private final List<String> revoked = new ArrayList<>();
    private final List<String> authorities = new ArrayList<>();
    private final List<Errno> failures = new ArrayList<>();

    private void tell(Role role) {
        tell(role, new Push.Revoked(List.of(role.text())));
    }

    private void tell(Role role, Push push) {
        MasterNews news =
                new MasterNews(
                        _ -> {},
                        told -> revoked.addAll(told.serials()),
                        told -> authorities.add(told.pem()));
        Answer answer =
                new Answer() {
                    @Override
                    public void send(Message reply) {
                        reply.release();
                    }

                    @Override
                    public void fail(FsException error) {
                        failures.add(error.errno());
                    }
                };
        Principal sender = new Principal(role, "x", "10.0.0.1");
        news.handle(new FakePeer(sender), Message.of(MasterRequest.push(push, 1)), answer);
    }

    @Test
    void onlyMastersTellNews() {
        tell(Role.MASTER);
        tell(Role.ANONYMOUS);
        assertEquals(List.of("master", "anonymous"), revoked);
        assertEquals(List.of(), failures);
        tell(Role.CHUNK);
        tell(Role.MOUNT);
        assertEquals(List.of("master", "anonymous"), revoked);
        assertEquals(List.of(Errno.EACCES, Errno.EACCES), failures);
        tell(Role.MASTER, new Push.AuthoritiesChanged("all"));
        tell(Role.MOUNT, new Push.AuthoritiesChanged("false"));
        tell(Role.ANONYMOUS, new Push.AuthoritiesChanged("anybody"));
        assertEquals(List.of("all"), authorities);
    }
}
