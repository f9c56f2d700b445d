import type { Order } from "../../contract/order.ts";
import type { OnStep, Outcome } from "../../contract/result.ts";
import type { IpFamily } from "../network/host.ts";
import type { Prober, StartProber } from "../prober.ts";
import { mapBothTexts } from "./add-families.ts";
import { combineOutcomes, families, isOfBoth, usesBoth, withFamily } from "./both-families.ts";

/** Lets a prober run orders with both families: as two runs that start at the same time. */
export function withBothFamilies(start: StartProber): StartProber {
  return async (tools) => {
    const prober = await start(tools);
    return {
      ...prober,
      run: (order, onStep) =>
        usesBoth(order.request) ? runBoth(prober, order, onStep) : prober.run(order, onStep),
      texts: mapBothTexts(prober.texts),
      isFlawless: (measurement) =>
        isOfBoth(measurement)
          ? families.every((family) => isFlawless(prober, measurement.families[family]))
          : prober.isFlawless(measurement),
    };
  };
}

async function runBoth(prober: Prober, order: Order, onStep?: OnStep): Promise<Outcome> {
  const runOne = (family: IpFamily) =>
    prober.run(
      { ...order, request: withFamily(order.request, family) },
      onStep && ((step) => onStep({ ...step, family })),
    );
  const [IPv4, IPv6] = await Promise.all([runOne("IPv4"), runOne("IPv6")]);
  return combineOutcomes({ IPv4, IPv6 });
}

function isFlawless(prober: Prober, outcome: Outcome): boolean {
  return outcome.kind === "measured" && prober.isFlawless(outcome.measurement);
}
