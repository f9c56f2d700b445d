import { type Loop, startLoop } from "../../platform/loop.ts";
import type { PublicPagesContext } from "./context.ts";
import { SnapshotWriter } from "./snapshots.ts";

/** A change is in the folder within a second. */
const lookMs = 250;

export function startPublicPageLoops(context: PublicPagesContext): readonly Loop[] {
  const { snapshotFolder } = context;
  if (snapshotFolder === null) return [];
  const writer = new SnapshotWriter(context, snapshotFolder);
  const turn = () => writer.turn();
  return [startLoop({ name: "write snapshots", everyMs: lookMs, log: context.log, turn })];
}
