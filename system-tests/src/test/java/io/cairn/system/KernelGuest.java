package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A Linux kernel in a virtual machine without hardware support (qemu, TCG), with an initial RAM
 * disk as its root. Takes commands over a serial line, one after the other.
 */
final class KernelGuest implements AutoCloseable {
    private static final String END = "::end ";

    private final Process qemu;
    private final Path console;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    /**
     * Boots; returns when it takes commands.
     *
     * @param image where {@code vmlinuz} and {@code initrd} are
     * @param logs where its console goes
     */
    KernelGuest(Path image, Path logs, List<String> prefix) throws Exception {
        console = logs.resolve("console.log");
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of("qemu-system-x86_64", "-accel", "tcg", "-m", "768", "-nodefaults"));
        command.addAll(List.of("-no-reboot", "-display", "none"));
        command.addAll(List.of("-kernel", image.resolve("vmlinuz").toString()));
        command.addAll(List.of("-initrd", image.resolve("initrd").toString()));
        command.addAll(
                List.of(
                        "-append",
                        "console=ttyS0 quiet panic=-1 address=" + GuestNetwork.GUEST + "/24"));
        command.addAll(List.of("-serial", "file:" + console, "-serial", "stdio"));
        command.addAll(
                List.of(
                        "-netdev",
                        "tap,id=n,ifname=tap0,script=no,downscript=no",
                        "-device",
                        "virtio-net-pci,netdev=n,romfile="));
        qemu = new ProcessBuilder(command).redirectError(logs.resolve("qemu.log").toFile()).start();
        Thread.ofPlatform().daemon().name("guest").start(this::readLines);
        try {
            awaitEnd("boot", 90);
        } catch (Exception | AssertionError e) {
            close();
            throw e;
        }
    }

    private void readLines() {
        try (BufferedReader reader = qemu.inputReader(StandardCharsets.ISO_8859_1)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line.replace("\r", ""));
            }
        } catch (IOException e) {
            lines.add("the serial line: " + e);
        }
    }

    /** Runs a line for {@code sh}; its output. Fails when it ends with another code than 0. */
    String run(String command, int limitSeconds) throws Exception {
        OutputStream line = qemu.getOutputStream();
        line.write((command + "\n").getBytes(StandardCharsets.UTF_8));
        line.flush();
        return awaitEnd(command, limitSeconds);
    }

    private String awaitEnd(String what, int limitSeconds) throws Exception {
        StringBuilder output = new StringBuilder();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(limitSeconds);
        while (true) {
            @Nullable String line = lines.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (line == null) {
                throw new AssertionError(
                        "not within "
                                + limitSeconds
                                + " s: "
                                + what
                                + "\n"
                                + output
                                + consoleTail());
            }
            if (line.startsWith(END)) {
                String code = line.substring(END.length());
                assertEquals("0", code, () -> what + "\n" + output + consoleTail());
                return output.toString();
            }
            output.append(line).append('\n');
        }
    }

    private String consoleTail() {
        try {
            List<String> all = Files.readAllLines(console, StandardCharsets.ISO_8859_1);
            return String.join("\n", all.subList(Math.max(0, all.size() - 20), all.size()));
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Override
    public void close() {
        qemu.destroyForcibly();
        Poll.until("end of qemu", 20, () -> !qemu.isAlive());
    }
}
