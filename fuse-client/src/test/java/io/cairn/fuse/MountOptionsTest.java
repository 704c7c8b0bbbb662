package io.cairn.fuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fuse.MountException.Category;
import io.cairn.fuse.MountOptions.DriverKind;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MountOptionsTest {
    @Test
    void standardOfRoot() {
        assertEquals(
                new MountOptions(
                        DriverKind.KERNEL,
                        false,
                        true,
                        false,
                        false,
                        MountOptions.CHOICE_OF_DRIVER,
                        1000,
                        64,
                        64,
                        1024,
                        "cairn",
                        List.of("dev", "suid")),
                MountOptions.standard());
    }

    @Test
    void emptyTextIsTheStandard() {
        assertEquals(MountOptions.standard(), MountOptions.parse(""));
    }

    @Test
    void everyOptionIsRead() {
        MountOptions options =
                MountOptions.parse(
                        "ro,noallow_other,nonempty,acl,driver=jnr,attr_timeout=0.5,entry_timeout=2,"
                                + "max_background=12,threads=3,read_ahead_kb=256,"
                                + "fsname=a:1\\,b:2/x,noexec,nosuid");
        assertEquals(
                new MountOptions(
                        DriverKind.JNR,
                        true,
                        false,
                        true,
                        true,
                        500,
                        2000,
                        12,
                        3,
                        256,
                        "a:1,b:2/x",
                        List.of("dev", "noexec", "nosuid")),
                options);
        assertFalse(MountOptions.parse("ro,rw").readOnly());
    }

    @Test
    void whatFstabPassesAlongIsIgnored() {
        assertEquals(
                MountOptions.standard(),
                MountOptions.parse("defaults,_netdev,nofail,noauto,x-systemd.automount"));
    }

    @ParameterizedTest
    @CsvSource({
        "atr_timeout=1,attr_timeout",
        "nonempt,nonempty",
        "allow-other,allow_other",
        "dirver=jnr,driver"
    })
    void unknownOptionIsRefusedWithAHint(String text, String hint) {
        MountException e = assertThrows(MountException.class, () -> MountOptions.parse(text));
        assertEquals(Category.USAGE, e.category());
        assertTrue(
                String.valueOf(e.getMessage()).contains("did you mean '" + hint + "'"),
                e.getMessage());
    }

    @Test
    void strangeOptionIsRefusedWithAList() {
        MountException e =
                assertThrows(MountException.class, () -> MountOptions.parse("quux_fuzzle=1"));
        assertTrue(String.valueOf(e.getMessage()).contains("known are "), e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "driver=fast",
                "attr_timeout=-1",
                "attr_timeout=soon",
                "entry_timeout=86401",
                "max_background=0",
                "threads=0",
                "threads=1025",
                "read_ahead_kb=x",
            })
    void badValueIsRefused(String text) {
        MountException e = assertThrows(MountException.class, () -> MountOptions.parse(text));
        assertEquals(64, e.category().exitCode());
        String name = text.substring(0, text.indexOf('='));
        assertTrue(String.valueOf(e.getMessage()).startsWith(name), e.getMessage());
    }
}
