package io.cairn.cli.fs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Labels;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Policy.Compression;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FsGetCommandTest {
    @Test
    void aPolicyIsToldWithAllItAsksFor() {
        Policy policy =
                new Policy(2, 20, 3, Compression.ZSTD, 4096, Labels.Expression.parse("disk=ssd"));
        assertEquals(
                List.of(
                        "replicas      2",
                        "chunk size    1.00 MiB",
                        "stripe        3 placement groups",
                        "compression   zstd",
                        "inline limit  4.00 KiB",
                        "labels        disk=ssd"),
                FsGetCommand.lines(policy));
        Map<String, Object> document = FsGetCommand.document(policy);
        assertEquals("zstd", document.get("compression"));
        assertEquals(4096, document.get("inlineLimitBytes"));
        assertEquals("disk=ssd", document.get("labels"));
        List<String> encrypted = FsGetCommand.lines(policy.withKey(7));
        assertEquals("encryption    aes-256-xts", encrypted.getLast());
    }

    @Test
    void whatIsNotAskedForIsTheStandard() {
        List<String> lines = FsGetCommand.lines(Policy.STANDARD);
        assertTrue(lines.contains("compression   none"), lines.toString());
        assertTrue(lines.contains("inline limit  default of the cluster"), lines.toString());
        assertEquals(5, lines.size());
        Map<String, Object> document = FsGetCommand.document(Policy.STANDARD);
        assertTrue(document.containsKey("compression"));
        assertNull(document.get("compression"));
        assertNull(document.get("inlineLimitBytes"));
        assertEquals(0, document.get("replicas"));
    }
}
