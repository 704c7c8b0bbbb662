package io.cairn.master.access;

import io.cairn.wire.master.Reply;
import org.jspecify.annotations.Nullable;

/**
 * A mutation that was judged.
 *
 * @param bytes with its envelope, as it may be done
 * @param offset where the envelope begins; it goes to the end
 * @param refusal instead; null when it may be done
 */
public record Admitted(byte[] bytes, int offset, @Nullable Reply refusal) {}
