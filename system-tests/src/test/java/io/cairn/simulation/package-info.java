/**
 * A whole cluster in one thread: masters, chunk servers and clients, all of them the production
 * classes, on a simulated clock, network, log and disks. A seed decides everything that happens:
 * what the clients do, how long every message and every disk takes, who dies when. While it runs
 * and when it has come to rest, what was promised to the clients is compared with what they find.
 *
 * <p>{@link io.cairn.simulation.SimulatedCluster} puts the parts together, {@link
 * io.cairn.simulation.FaultPlan} breaks them, {@link io.cairn.simulation.ClientWork} uses them, the
 * models ({@link io.cairn.simulation.FileModel}, {@link io.cairn.simulation.TreeModel}, {@link
 * io.cairn.simulation.AppendModel}, {@link io.cairn.simulation.JobModel}, {@link
 * io.cairn.simulation.CloneModel}, {@link io.cairn.simulation.QuotaModel}) know what may be found,
 * and {@link io.cairn.simulation.SimulationTest} runs many seeds.
 */
@NullMarked
package io.cairn.simulation;

import org.jspecify.annotations.NullMarked;
