import type { Outcome } from "../../contract/result.ts";
import type { Prober, ProberTools } from "../prober.ts";
import type { KindTexts } from "../texts.ts";

export interface SocketProberOptions<Request, Measurement> {
  /** Exports `serve`, which takes a request and gives an outcome. */
  readonly module: URL;
  readonly isRequest: (value: unknown) => value is Request;
  readonly texts: KindTexts<Request, Measurement>;
  readonly isFlawless: (measurement: Measurement) => boolean;
}

/** A prober whose whole work is done in the socket thread. It needs no privileges. */
export function startSocketProber<Request, Measurement>(
  { socketThread }: Pick<ProberTools, "socketThread">,
  { module, isRequest, texts, isFlawless }: SocketProberOptions<Request, Measurement>,
): Prober {
  const calls = socketThread.open<Request, Outcome<Measurement>>(module);
  return {
    run: async ({ request }) => {
      if (!isRequest(request)) {
        return { kind: "cannot-check", message: "This probe does not understand the request." };
      }
      const outcome = await calls.call(request);
      return outcome ?? { kind: "interrupted", message: "The probe stopped." };
    },
    texts,
    isFlawless: (measurement) => isFlawless(measurement as Measurement),
    canRun: () => true,
    listLimitations: () => [],
    close: async () => calls.close(),
  };
}
