package io.cairn.admin.classes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.admin.AdminBench;
import io.cairn.admin.api.Records;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Policy.StorageClass;
import io.cairn.master.access.ClassKey;
import io.cairn.master.access.ClassKeyCache;
import io.cairn.master.access.KeyNumbers;
import io.cairn.seal.MasterKey;
import io.cairn.seal.WrappedKey;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Classes that are encrypted at rest, and their keys. */
final class ClassKeysTest {
    @TempDir private Path directory;
    private AdminBench bench;

    @BeforeEach
    void open() throws Exception {
        bench = new AdminBench(directory);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private HttpResponse<String> done(int status, String method, String path, String body)
            throws Exception {
        HttpResponse<String> answer = bench.change(method, path, body);
        assertEquals(status, answer.statusCode(), answer.body());
        return answer;
    }

    private void refused(String word, String method, String path) throws Exception {
        HttpResponse<String> answer = bench.change(method, path, "");
        assertEquals(409, answer.statusCode(), answer.body());
        assertTrue(answer.body().contains(word), answer.body());
    }

    private List<WrappedKey> told() {
        return new ClassKeyCache(bench.master.service::namespace).keys();
    }

    private int keyOf(String name) {
        for (StorageClass each : bench.master.service.namespace().classes().all()) {
            if (each.name().equals(name)) {
                return each.policy().key();
            }
        }
        return -99;
    }

    @Test
    void aClassGetsAKeyAnotherOneAndLosesThem() throws Exception {
        String body = "{\"name\":\"secret\",\"encryption\":\"aes-256-xts\"}";
        HttpResponse<String> plan = bench.change("POST", "/classes?plan=true", body);
        assertTrue(plan.body().contains("no pool with its key yet"), plan.body());
        assertEquals(List.of(), told(), "a plan makes no key");
        Map<String, Object> made = AdminBench.object(done(201, "POST", "/classes", body));
        assertEquals("aes-256-xts", made.get("encryption"));
        assertEquals(List.of(1), made.get("keys"));
        assertEquals(1, keyOf("secret"));
        byte[] secret = AdminBench.MASTER_KEY.unwrap(told().getFirst());
        assertEquals(32, secret.length);
        refused("keys shred secret", "DELETE", "/classes/secret");

        refused("no former key", "DELETE", "/classes/secret/former-keys");
        done(204, "POST", "/classes/secret/keys", "");
        assertEquals(2, keyOf("secret"));
        assertEquals(List.of(1, 2), bench.get("/classes/secret").get("keys"));
        done(204, "DELETE", "/classes/secret/former-keys", "");
        assertEquals(List.of(2), bench.get("/classes/secret").get("keys"));
        assertTrue(told().getFirst().isDropped());
        assertFalse(told().getLast().isDropped());

        HttpResponse<String> shred = bench.change("DELETE", "/classes/secret/keys?plan=true", "");
        assertTrue(shred.body().contains("cannot be undone"), shred.body());
        done(204, "DELETE", "/classes/secret/keys", "");
        assertTrue(told().stream().allMatch(WrappedKey::isDropped));
        refused("has no key", "DELETE", "/classes/secret/keys");
        done(204, "POST", "/classes/secret/keys", "");
        assertEquals(3, keyOf("secret"), "no number is given twice");
        done(204, "DELETE", "/classes/secret/keys", "");
        done(204, "DELETE", "/classes/secret", "");
    }

    @Test
    void aClassMayBeEncryptedLater() throws Exception {
        done(201, "POST", "/classes", "{\"name\":\"a\",\"replicas\":1}");
        refused("is not encrypted", "POST", "/classes/a/keys");
        refused("has no key", "DELETE", "/classes/a/keys");
        done(200, "PATCH", "/classes/a", "{\"encryption\":\"aes-256-xts\"}");
        done(200, "PATCH", "/classes/a", "{\"encryption\":\"aes-256-xts\",\"replicas\":2}");
        assertEquals(1, keyOf("a"), "the key stays");
        Map<String, Object> plain =
                AdminBench.object(done(200, "PATCH", "/classes/a", "{\"encryption\":null}"));
        assertNull(plain.get("encryption"));
        assertEquals(List.of(1), plain.get("keys"));
        done(400, "PATCH", "/classes/a", "{\"encryption\":\"rot13\"}");
    }

    @Test
    void aClassMaySayThatNothingIsEncrypted() throws Exception {
        String body = "{\"name\":\"open\",\"encryption\":\"none\"}";
        Map<String, Object> made = AdminBench.object(done(201, "POST", "/classes", body));
        assertEquals("none", made.get("encryption"));
        assertEquals(List.of(), made.get("keys"));
        assertEquals(Policy.NO_KEY, keyOf("open"));
        refused("is not encrypted", "POST", "/classes/open/keys");
        done(200, "PATCH", "/classes/open", "{\"encryption\":\"aes-256-xts\"}");
        assertEquals(1, keyOf("open"));
        Map<String, Object> plain =
                AdminBench.object(done(200, "PATCH", "/classes/open", "{\"encryption\":\"none\"}"));
        assertEquals("none", plain.get("encryption"));
        assertEquals(List.of(1), plain.get("keys"));
        refused("--encryption none", "DELETE", "/classes/open");
        done(204, "DELETE", "/classes/open/former-keys", "");
        done(204, "DELETE", "/classes/open", "");
    }

    @Test
    void anotherKeyNeedsPoolsAsTheFirstOneDid() throws Exception {
        done(201, "POST", "/classes", "{\"name\":\"a\",\"encryption\":\"aes-256-xts\"}");
        HttpResponse<String> plan = bench.change("POST", "/classes/a/keys?plan=true", "");
        assertTrue(plan.body().contains("no pool with its key yet"), plan.body());
    }

    /** None takes back what another one has just said, and no key is made for nothing. */
    @Test
    void changesOfAClassAndOfItsKeysAreMadeOneAfterTheOther() throws Exception {
        done(201, "POST", "/classes", "{\"name\":\"a\",\"encryption\":\"aes-256-xts\"}");
        int rounds = 20;
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            List<Future<?>> both = new ArrayList<>();
            both.add(
                    threads.submit(
                            () -> {
                                for (int i = 0; i < rounds; i++) {
                                    done(204, "POST", "/classes/a/keys", "");
                                    assertEquals(i + 2, keyOf("a"), "nobody takes it back");
                                }
                                return true;
                            }));
            both.add(
                    threads.submit(
                            () -> {
                                for (int i = 1; i <= rounds; i++) {
                                    String body = "{\"replicas\":%d}".formatted(1 + i % 15);
                                    done(200, "PATCH", "/classes/a", body);
                                }
                                return true;
                            }));
            for (Future<?> each : both) {
                each.get(60, TimeUnit.SECONDS);
            }
        }
        assertEquals(rounds + 1, keyOf("a"), "the last key");
        Map<String, Object> shown = bench.get("/classes/a");
        assertEquals(1 + rounds % 15, ((Number) shown.get("replicas")).intValue());
        done(204, "DELETE", "/classes/a/former-keys", "");
        assertEquals(List.of(rounds + 1), bench.get("/classes/a").get("keys"));
    }

    @Test
    void numbersThatABackupMayHaveForgottenAreNotGivenAgain() throws Exception {
        done(201, "POST", "/classes", "{\"name\":\"a\",\"encryption\":\"aes-256-xts\"}");
        bench.master.service.submit(KeyNumbers.passOver(bench.master.service.namespace())).get();
        done(204, "POST", "/classes/a/keys", "");
        assertEquals(1026, keyOf("a"));
        done(204, "POST", "/classes/a/keys", "");
        assertEquals(1027, keyOf("a"));
    }

    @Test
    void anotherMasterKeyWrapsTheSameKeys() throws Exception {
        refused("No class has a key", "POST", "/class-keys/rewrap");
        done(201, "POST", "/classes", "{\"name\":\"a\",\"encryption\":\"aes-256-xts\"}");
        done(204, "POST", "/classes/a/keys", "");
        done(204, "DELETE", "/classes/a/former-keys", "");
        byte[] secret = AdminBench.MASTER_KEY.unwrap(told().getLast());
        byte[] digits = new byte[MasterKey.KEY_BYTES];
        digits[0] = 1;
        MasterKey next = new MasterKey(digits);
        new ClassKeys(
                        bench.master.service,
                        new Records(bench.master.service),
                        next.after(AdminBench.MASTER_KEY),
                        bench.master.ground)
                .rewrap();
        assertTrue(told().getFirst().isDropped());
        assertArrayEquals(secret, next.unwrap(told().getLast()));
        assertThrows(
                GeneralSecurityException.class,
                () -> AdminBench.MASTER_KEY.unwrap(told().getLast()));
        refused("is not the one of key 2", "POST", "/class-keys/rewrap");
    }

    @Test
    void withoutAMasterKeyNoClassGetsOne() {
        ClassKeys without =
                new ClassKeys(
                        bench.master.service,
                        new Records(bench.master.service),
                        null,
                        bench.master.ground);
        StorageClass wanted = new StorageClass("x", Policy.STANDARD.withKey(Integer.MAX_VALUE), -1);
        RuntimeException thrown =
                assertThrows(RuntimeException.class, () -> without.requireFor(wanted));
        assertTrue(String.valueOf(thrown.getMessage()).contains("--master-key-file"));
        assertEquals("class-keys/00012", ClassKey.recordKey(12));
    }
}
