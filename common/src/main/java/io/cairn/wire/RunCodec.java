package io.cairn.wire;

import io.cairn.cluster.Layout.Run;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The runs of a layout. Most layouts have one, and it is written plainly. Those of a file that was
 * changed in thousands of places since a snapshot take turns between few objects, so that a run
 * costs some three bytes:
 *
 * <pre>
 * up to 16 runs   | count 4 | { firstChunk 8 | pool 4 | oid 8 | source 8 | sourceLength 8
 *                             | detour 8 } ... |   a first chunk below 0 is the complement of one,
 *                                                  and tells that a detour follows
 * more            | ~count 4 | places 4 | { pool 4 | oid 8 | detour 8 } ...
 *                            | { chunks since the run before (var) | place, cloning (var)
 *                              | oid - source (var) | sourceLength (var) } ... |
 *
 * place, cloning  twice the place in the list; the lowest bit tells that a clone has to be made,
 *                 or that a length was left of one, and only then the fields behind it are there
 * var             7 bits a byte, the low ones first; the top bit says that more follow; the lowest
 *                 bit of the number is its sign
 * </pre>
 */
final class RunCodec {
    /** So many are written plainly. */
    private static final int PLAIN = 16;

    private static final int MORE = 0x80;
    private static final int BITS = 7;

    private RunCodec() {}

    static void encode(Encoder out, List<Run> runs) {
        if (runs.size() <= PLAIN) {
            out.list(runs, RunCodec::plain);
            return;
        }
        // Of each place the run that stands for it: it differs from others in nothing else.
        Map<Run, Integer> places = new HashMap<>();
        List<Run> inOrder = new ArrayList<>();
        for (Run run : runs) {
            Run place = placeOf(run);
            if (places.putIfAbsent(place, places.size()) == null) {
                inOrder.add(place);
            }
        }
        out.i32(~runs.size());
        out.list(inOrder, (o, place) -> o.i32(place.poolId()).i64(place.oid()).i64(place.detour()));
        long chunk = 0;
        for (Run run : runs) {
            boolean clones = run.sourceOid() != 0 || run.sourceLengthBytes() != 0;
            number(out, run.firstChunk() - chunk);
            number(out, 2L * places.getOrDefault(placeOf(run), 0) + (clones ? 1 : 0));
            if (clones) {
                number(out, run.oid() - run.sourceOid());
                number(out, run.sourceLengthBytes());
            }
            chunk = run.firstChunk();
        }
    }

    private static Run placeOf(Run run) {
        return run.beside(0, run.oid());
    }

    private static void plain(Encoder out, Run r) {
        if (r.firstChunk() < 0) {
            throw new IllegalArgumentException("a run at chunk " + r.firstChunk());
        }
        out.i64(r.detour() == 0 ? r.firstChunk() : ~r.firstChunk());
        out.i32(r.poolId()).i64(r.oid()).i64(r.sourceOid()).i64(r.sourceLengthBytes());
        if (r.detour() != 0) {
            out.i64(r.detour());
        }
    }

    static List<Run> decode(Decoder in) {
        int count = in.i32();
        boolean isPlain = count >= 0;
        count = isPlain ? count : ~count;
        if (count > Math.min(Limits.MAX_LIST, in.remaining())) {
            throw new MalformedMessageException("a layout of " + count + " runs");
        }
        List<Run> places =
                isPlain ? List.of() : in.list(i -> Run.of(0, i.i32(), i.i64()).withDetour(i.i64()));
        List<Run> runs = new ArrayList<>(count);
        long chunk = 0;
        for (int i = 0; i < count; i++) {
            Run run = isPlain ? plain(in) : placed(in, chunk, places);
            chunk = run.firstChunk();
            runs.add(run);
        }
        return runs;
    }

    private static Run plain(Decoder in) {
        long first = in.i64();
        return new Run(
                first < 0 ? ~first : first,
                in.i32(),
                in.i64(),
                in.i64(),
                in.i64(),
                first < 0 ? in.i64() : 0);
    }

    private static Run placed(Decoder in, long chunk, List<Run> places) {
        long first = chunk + number(in);
        long place = number(in);
        if (place < 0 || place >> 1 >= places.size()) {
            throw new MalformedMessageException("a run in place " + place);
        }
        Run at = places.get((int) (place >> 1));
        Run run = at.beside(first, at.oid());
        return (place & 1) == 0 ? run : run.cloning(run.oid() - number(in), number(in));
    }

    private static void number(Encoder out, long value) {
        long left = value << 1 ^ value >> Long.SIZE - 1;
        while ((left & -MORE) != 0) {
            out.u8((int) left | MORE);
            left >>>= BITS;
        }
        out.u8((int) left);
    }

    private static long number(Decoder in) {
        long found = 0;
        for (int shift = 0; shift < Long.SIZE; shift += BITS) {
            int next = in.u8();
            found |= (long) (next & MORE - 1) << shift;
            if (next < MORE) {
                return found >>> 1 ^ -(found & 1);
            }
        }
        throw new MalformedMessageException("a number of more than 10 bytes");
    }
}
