import { type Loop, startLoop } from "../../platform/loop.ts";
import type { PublicPagesContext } from "./context.ts";
import { SnapshotWriter } from "./snapshots.ts";

/** Changes are written to the folder within a second. */
const pollMs = 250;

export function startPublicPageLoops(context: PublicPagesContext): readonly Loop[] {
  const { snapshotFolder } = context;
  if (snapshotFolder === null) return [];
  const writer = new SnapshotWriter(context, snapshotFolder);
  const turn = () => writer.turn();
  return [startLoop({ name: "write snapshots", everyMs: pollMs, log: context.log, turn })];
}
