package io.cairn.fs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ModeChangeTest {
    /** What GNU chmod makes of it, with a file creation mask of 0. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "755    | 0644 | 0755 | 0755",
                "0755   | 6644 | 0755 | 6755",
                "00755  | 6644 | 0755 | 0755",
                "2755   | 0644 | 2755 | 2755",
                "u+x    | 0644 | 0744 | 0744",
                "+x     | 0644 | 0755 | 0755",
                "a-w    | 0666 | 0444 | 0444",
                "go=    | 0777 | 0700 | 0700",
                "g=u    | 0740 | 0770 | 0770",
                "o=g    | 0750 | 0755 | 0755",
                "u=rw,go=r | 0777 | 0644 | 0644",
                "a+X    | 0644 | 0644 | 0755",
                "a+X    | 0744 | 0755 | 0755",
                "u=rwX  | 0611 | 0711 | 0711",
                "u+s    | 0755 | 4755 | 4755",
                "g-s    | 2755 | 0755 | 0755",
                "u=rwx  | 4600 | 0700 | 4700",
                "+t     | 0777 | 1777 | 1777",
                "o-t    | 1777 | 0777 | 0777",
                "u+r-w  | 0200 | 0400 | 0400",
                "g+w,o-r | 0644 | 0660 | 0660",
                "=      | 6777 | 0000 | 6000"
            })
    void itDoesWhatChmodDoes(String text, String before, String file, String directory) {
        ModeChange change = ModeChange.parse(text);
        int mode = Integer.parseInt(before, 8);
        assertEquals(Integer.parseInt(file, 8), change.apply(mode, false), text);
        assertEquals(Integer.parseInt(directory, 8), change.apply(mode, true), text);
        assertEquals(change, ModeChange.parse(change.text()), change.text());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "u", "8", "10000", "u+y", "x+u", "u+x,", "rwx", "u+rg", "77777777"})
    void whatIsNoModeIsRefused(String text) {
        FsException e = assertThrows(FsException.class, () -> ModeChange.parse(text));
        assertEquals(Errno.EINVAL, e.errno());
    }

    @Test
    void tooManyClausesAreRefused() {
        String text = "u+x,".repeat(ModeChange.MAX_CLAUSES) + "u+x";
        FsException e = assertThrows(FsException.class, () -> ModeChange.parse(text));
        assertTrue(String.valueOf(e.getMessage()).contains("64"));
    }

    @Test
    void twiceIsOnceUnlessBitsAreCopied() {
        for (String text : new String[] {"u+x", "a+X", "u=rwX,go-w", "755", "g=s"}) {
            ModeChange change = ModeChange.parse(text);
            for (int mode = 0; mode <= 07777; mode++) {
                int once = change.apply(mode, false);
                assertEquals(once, change.apply(once, false), text);
            }
        }
    }
}
