package io.cairn.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The words of MooseFS, and what to use here instead. */
final class MooseFsWords {
    private static final List<Word> WORDS =
            List.of(
                    new Word("goal", "getgoal", "cairn fs get PATH, or cairn fs info PATH"),
                    new Word("setgoal", "setsclass", "cairn fs set --replicas N PATH [-r]"),
                    new Word("rgetgoal", "rsetgoal", "cairn fs set -r --replicas N PATH"),
                    new Word(
                            "sclass",
                            "storage class",
                            "cairn class create NAME; cairn fs set --class NAME DIRECTORY"),
                    new Word(
                            "trashtime",
                            "gettrashtime",
                            "cairn fs set --trash 7d DIRECTORY; see: cairn trash list"),
                    new Word(
                            "settrashtime",
                            "undelete",
                            "cairn fs set --trash 7d DIRECTORY; cairn trash restore PATH"),
                    new Word("fileinfo", "finfo", "cairn fs info FILE"),
                    new Word(
                            "checkfile",
                            "filecheck",
                            "cairn fs info FILE: each chunk with the state of its copies"),
                    new Word("dirinfo", "dirusage", "cairn fs usage DIRECTORY"),
                    new Word(
                            "filerepair",
                            "repair",
                            "nothing to do by hand: copies that come back catch up by themselves"),
                    new Word("appendchunks", "append", "not there: copy the file"),
                    new Word(
                            "makesnapshot",
                            "snapshot",
                            "cairn clone SOURCE COPY; cairn snapshot create DIRECTORY NAME"),
                    new Word(
                            "quota",
                            "setquota",
                            "cairn quota set DIRECTORY --space SIZE; see: cairn quota list"),
                    new Word("eattr", "seteattr", "chattr and lsattr on a mount: +i, +a, +d, +A"),
                    new Word("mount", "mfsmount", "cairn mount MASTERS DIR"),
                    new Word("master", "mfsmaster", "cairn master (three of them replace backups)"),
                    new Word(
                            "metalogger",
                            "metarestore",
                            "not needed: a majority of the masters has everything, always"),
                    new Word("chunkserver", "mfschunkserver", "cairn chunk"),
                    new Word("cgiserv", "gui", "the web console at the admin address of a master"),
                    new Word(
                            "exports.cfg",
                            "mfsexports",
                            "mounts: cairn exports; NFS: cairn nfs exports"),
                    new Word("topology", "labels", "cairn admin servers label NAME KEY=VALUE"),
                    new Word("cli -SIN", "cli -SIG", "cairn status"),
                    new Word("cli -SMU", "cli -SIM", "cairn admin masters"),
                    new Word("cli -SCS", "cservers", "cairn admin servers"),
                    new Word("cli -SHD", "disks", "cairn admin targets"),
                    new Word("cli -SIC", "cli -SMI", "cairn admin groups --at-risk"),
                    new Word("cli -SMS", "mounts", "cairn admin sessions"),
                    new Word("cli -SOF", "openfiles", "cairn admin sessions show ID"),
                    new Word("cli -SAL", "locks", "cairn admin sessions show ID"),
                    new Word("cli -CSC", "cli -SMC", "cairn admin config"));

    private MooseFsWords() {}

    /**
     * A word and its cousin.
     *
     * @param here what to use in Cairn
     */
    private record Word(String word, String cousin, String here) {
        boolean isMeant(String text) {
            return text.equals(word) || text.equals(cousin);
        }
    }

    /** The words to use instead of one, with or without {@code mfs} in front; null when unknown. */
    static @Nullable String find(String word) {
        String text = word.toLowerCase(Locale.ROOT).replaceFirst("^mfs(?=.)", "");
        return WORDS.stream()
                .filter(each -> each.isMeant(text))
                .map(Word::here)
                .findFirst()
                .orElse(null);
    }

    /** The whole list, a line each. */
    static List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("What administrators of MooseFS know, and what to use here:");
        lines.add("");
        for (Word each : WORDS) {
            lines.add("  %-28s %s".formatted(each.word() + ", " + each.cousin(), each.here()));
        }
        return lines;
    }
}
