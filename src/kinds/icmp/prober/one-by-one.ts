import { setTimeout as wait } from "node:timers/promises";
import type { OnStep } from "../../../contract/progress.ts";
import {
  buildMeasuredRun,
  type EchoPacket,
  type EchoRequest,
  type EchoRun,
  type MeasuredRun,
} from "./echo-run.ts";
import type { IcmpEngine } from "./engine.ts";

/**
 * Runs each packet as a separate run, so that its result can be reported as soon as it arrives and
 * the engine needs no code for progress.
 */
export async function runOneByOne(
  engine: Pick<IcmpEngine, "run">,
  request: EchoRequest,
  onStep: OnStep,
): Promise<EchoRun> {
  const { pingCount, spacingMs } = request;
  const runs = await Promise.all(
    Array.from({ length: pingCount }, async (_, sequence) => {
      if (sequence > 0) await wait(sequence * spacingMs);
      const run = await engine.run({ ...request, pingCount: 1 });
      if (run.kind === "measured") for (const packet of run.packets) reportPacket(packet, sequence);
      return run;
    }),
  );
  function reportPacket({ rttMs, ttl, error }: EchoPacket, sequence: number): void {
    onStep({ step: "packet", sequence, rttMs, ttl, lost: error?.message ?? null });
  }
  const troubled = runs.find(({ kind }) => kind !== "measured");
  if (troubled !== undefined) return troubled;
  return join(runs as readonly MeasuredRun[]);
}

function join(runs: readonly MeasuredRun[]): MeasuredRun {
  const packets = runs.flatMap((run, sequence) =>
    run.packets.map((packet) => ({ ...packet, sequence })),
  );
  const mode = runs[0]?.mode ?? "none";
  const payloadBytes = runs[0]?.payloadBytes ?? 0;
  return buildMeasuredRun(packets, {
    mode,
    payloadBytes,
    repeats: runs.reduce((sum, { repeats }) => sum + repeats, 0),
  });
}
