import { type Loop, startLoop } from "../../platform/loop.ts";
import type { PublicPagesContext } from "./context.ts";
import { SnapshotFolder } from "./snapshot-folder.ts";
import { SnapshotWriter } from "./snapshots.ts";

/** A change is in the folder within a second. */
const lookMs = 250;

export function startPublicPageLoops(
  context: PublicPagesContext,
  snapshotDir: string | undefined,
): readonly Loop[] {
  if (snapshotDir === undefined) return [];
  const writer = new SnapshotWriter(context, new SnapshotFolder(snapshotDir));
  const turn = () => writer.turn();
  return [startLoop({ name: "write snapshots", everyMs: lookMs, log: context.log, turn })];
}
