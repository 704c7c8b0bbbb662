package io.cairn.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The bytes of every message as released: {@code golden/wire-1.txt} holds three of each type, a
 * line each, {@code TYPE HEX}. They are decoded and encoded again. A line is never changed: it
 * stands for what other machines of a cluster say during a rolling upgrade, and for what logs hold.
 * A new type adds its lines with {@code -Dcairn.golden.write=true}.
 */
final class GoldenMessagesTest {
    private static final int SAMPLES = 3;
    private static final Path FILE =
            Path.of(
                    Objects.requireNonNull(System.getProperty("cairn.root")),
                    "common/src/test/resources/golden/wire-1.txt");

    private record Golden(String type, byte[] bytes) {}

    private static List<Golden> golden() throws Exception {
        List<Golden> lines = new ArrayList<>();
        if (!Files.exists(FILE)) {
            return lines;
        }
        for (String line : Files.readAllLines(FILE, StandardCharsets.US_ASCII)) {
            int blank = line.indexOf(' ');
            lines.add(
                    new Golden(
                            line.substring(0, blank),
                            HexFormat.of().parseHex(line.substring(blank + 1))));
        }
        return lines;
    }

    private static String nameOf(CodecPropertyTest.Codec codec) {
        String name = codec.type().getName();
        return name.substring(name.lastIndexOf('.') + 1);
    }

    @Test
    void whatWasWrittenIsReadAndWrittenTheSame() throws Exception {
        addMissing();
        Set<String> known = new HashSet<>();
        for (Golden golden : golden()) {
            CodecPropertyTest.Codec codec =
                    CodecPropertyTest.CODECS.stream()
                            .filter(each -> nameOf(each).equals(golden.type))
                            .findFirst()
                            .orElseThrow(() -> new AssertionError("no " + golden.type + " left"));
            Decoder in = new Decoder(golden.bytes);
            Object message = codec.decoder().apply(in);
            assertEquals(codec.type(), message.getClass());
            assertEquals(0, in.remaining(), golden.type);
            assertArrayEquals(golden.bytes, codec.bytesOf(message), golden.type);
            known.add(golden.type);
        }
        for (CodecPropertyTest.Codec codec : CodecPropertyTest.CODECS) {
            assertTrue(
                    known.contains(nameOf(codec)),
                    nameOf(codec)
                            + " has no golden bytes: run this test with -Dcairn.golden.write=true"
                            + " and look at what it adds to "
                            + FILE);
        }
    }

    /** Appends lines for types that have none, when asked to. */
    private static void addMissing() throws Exception {
        if (!Boolean.getBoolean("cairn.golden.write")) {
            return;
        }
        Files.createDirectories(Objects.requireNonNull(FILE.getParent()));
        Set<String> known = new HashSet<>();
        StringBuilder lines = new StringBuilder();
        for (Golden golden : golden()) {
            known.add(golden.type);
            lines.append(golden.type).append(' ');
            lines.append(HexFormat.of().formatHex(golden.bytes)).append('\n');
        }
        for (CodecPropertyTest.Codec codec : CodecPropertyTest.CODECS) {
            Random random = new Random(nameOf(codec).hashCode());
            for (int i = 0; i < SAMPLES && !known.contains(nameOf(codec)); i++) {
                Object message = new RandomRecords(random).of(codec.type());
                lines.append(nameOf(codec)).append(' ');
                lines.append(HexFormat.of().formatHex(codec.bytesOf(message))).append('\n');
            }
        }
        Files.writeString(FILE, lines, StandardCharsets.US_ASCII);
    }
}
