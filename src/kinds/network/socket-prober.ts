import type { Order } from "../../contract/order.ts";
import type { Outcome } from "../../contract/result.ts";
import type { Prober, ProberTools } from "../prober.ts";
import type { KindTexts } from "../texts.ts";

export interface SocketProberOptions<Request, Measurement> {
  /** Exports `serve`, which takes a request, or what `readCall` makes of it; gives an outcome. */
  readonly module: URL;
  /** For kinds that need more of an order than its request. */
  readonly readCall?: (order: Order<Request>) => unknown;
  readonly isRequest: (value: unknown) => value is Request;
  readonly texts: KindTexts<Request, Measurement>;
  readonly isFlawless: (measurement: Measurement) => boolean;
}

/** A prober whose whole work is done in the socket thread. It needs no privileges. */
export function startSocketProber<Request, Measurement>(
  { socketThread }: Pick<ProberTools, "socketThread">,
  options: SocketProberOptions<Request, Measurement>,
): Prober {
  const { module, readCall, isRequest, texts, isFlawless } = options;
  const calls = socketThread.open<unknown, Outcome<Measurement>>(module);
  return {
    run: async (order, tell) => {
      const { request } = order;
      if (!isRequest(request)) {
        return { kind: "cannot-check", message: "This probe does not understand the request." };
      }
      const outcome = await calls.call(readCall?.({ ...order, request }) ?? request, tell);
      return outcome ?? { kind: "interrupted", message: "The probe stopped." };
    },
    texts,
    isFlawless: (measurement) => isFlawless(measurement as Measurement),
    canRun: () => true,
    listLimitations: () => [],
    close: async () => calls.close(),
  };
}
