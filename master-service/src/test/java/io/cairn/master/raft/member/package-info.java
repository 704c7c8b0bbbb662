@NullUnmarked
package io.cairn.master.raft.member;

import org.jspecify.annotations.NullUnmarked;
