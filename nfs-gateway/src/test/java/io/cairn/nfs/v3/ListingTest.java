package io.cairn.nfs.v3;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fs.AttributeChange;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.nfs.ModelGateway;
import io.cairn.nfs.NfsClient;
import io.cairn.nfs.NfsClient.Entry;
import io.cairn.nfs.NfsClient.Handle;
import io.cairn.nfs.NfsClient.Page;
import io.cairn.nfs.NfsError;
import io.cairn.nfs.rpc.Credential;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** READDIR and READDIRPLUS. */
final class ListingTest {
    private final ModelGateway gateway = new ModelGateway();
    private final NfsClient client = gateway.client();
    private final Handle root = client.mount("/");

    @AfterEach
    void stop() {
        client.close();
        gateway.close();
    }

    private void fill(int files) {
        for (int i = 0; i < files; i++) {
            gateway.files()
                    .mknod(
                            Caller.ROOT,
                            FileSystem.ROOT_INO,
                            Name.of("file-" + i),
                            FileType.FILE,
                            0644,
                            0);
        }
    }

    private List<Entry> list(int count, boolean plus) {
        List<Entry> all = new ArrayList<>();
        long cookie = 0;
        while (true) {
            Page page =
                    plus
                            ? client.readdirplus(root, cookie, count, count)
                            : client.readdir(root, cookie, count);
            assertEquals(0, page.verifier());
            all.addAll(page.entries());
            if (page.end()) {
                return all;
            }
            assertTrue(!page.entries().isEmpty(), "a page makes progress");
            cookie = all.getLast().cookie();
        }
    }

    @Test
    void everyEntryAppearsOnceWithTheSameCookieInBoth() {
        fill(500);
        Map<String, Long> plain = new HashMap<>();
        for (Entry entry : list(1000, false)) {
            assertEquals(null, plain.put(entry.text(), entry.cookie()));
        }
        assertEquals(502, plain.size());
        Map<String, Long> plus = new HashMap<>();
        for (Entry entry : list(3000, true)) {
            assertEquals(null, plus.put(entry.text(), entry.cookie()));
            var node = entry.node();
            assertNotNull(node);
            assertEquals(entry.ino(), node.attributes().ino());
            assertEquals(node.attributes(), client.getattr(node.handle()));
        }
        assertEquals(plain, plus);
    }

    @Test
    void largeDirectoriesAreListedWhole() {
        fill(100_000);
        Set<String> names = new HashSet<>();
        for (Entry entry : list(1 << 20, true)) {
            assertTrue(names.add(entry.text()));
        }
        assertEquals(100_002, names.size());
    }

    @Test
    void cookiesStayGoodWhileTheDirectoryChanges() {
        fill(200);
        Page first = client.readdir(root, 0, 2000);
        Entry last = first.entries().getLast();
        client.remove(root, last.text());
        for (int i = 0; i < 100; i++) {
            client.create(root, "more-" + i, 1, AttributeChange.NONE);
        }
        Set<String> seen = new HashSet<>();
        first.entries().forEach(entry -> seen.add(entry.text()));
        long cookie = last.cookie();
        Page page;
        do {
            page = client.readdirplus(root, cookie, 8192, 8192);
            page.entries().forEach(entry -> assertTrue(seen.add(entry.text())));
            cookie = page.entries().isEmpty() ? cookie : page.entries().getLast().cookie();
        } while (!page.end());
        for (int i = 0; i < 200; i++) {
            assertTrue(seen.contains("file-" + i), "file-" + i);
        }
    }

    @Test
    void answersAreNotLongerThanAsked() {
        fill(300);
        for (int count : new int[] {300, 512, 1000, 4096, 10_000}) {
            var answer =
                    client.call(
                            NfsClient.NFS,
                            NfsClient.READDIRPLUS,
                            out -> out.opaque(root.bytes()).i64(0).i64(0).i32(count).i32(count));
            assertTrue(answer.leftBytes() <= count, count + ": " + answer.leftBytes());
        }
        assertTrue(client.readdirplus(root, 0, 200, 1 << 20).entries().size() <= 8, "dircount");
    }

    @Test
    void tooLittleRoomIsSaid() {
        fill(3);
        for (int count : new int[] {0, 1, 100}) {
            NfsError e = assertThrows(NfsError.class, () -> client.readdir(root, 0, count));
            assertEquals(NfsStatus.TOOSMALL, e.status());
        }
        NfsError e = assertThrows(NfsError.class, () -> client.readdirplus(root, 0, 512, 150));
        assertEquals(NfsStatus.TOOSMALL, e.status());
    }

    @Test
    void cookiesOfNothing() {
        fill(3);
        assertTrue(client.readdir(root, Long.MAX_VALUE, 4096).end());
        assertTrue(client.readdir(root, -5, 4096).end());
        assertEquals(4, client.readdir(root, 1, 4096).entries().size());
        assertEquals(3, client.readdir(root, 2, 4096).entries().size());
        Handle file = client.lookup(root, "file-1").handle();
        NfsError e = assertThrows(NfsError.class, () -> client.readdir(file, 0, 4096));
        assertEquals(NfsStatus.NOTDIR, e.status());
    }

    @Test
    void whoMayNotSearchGetsNamesOnly() {
        fill(3);
        client.setattr(root, AttributeChange.NONE.withMode(0744), -1);
        try (NfsClient other = new NfsClient(gateway.endpoint(), Credential.sys(5, 5))) {
            Page page = other.readdirplus(root, 0, 4096, 4096);
            assertEquals(5, page.entries().size());
            page.entries().forEach(entry -> assertEquals(null, entry.node()));
        }
    }
}
