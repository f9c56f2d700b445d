import type { Order } from "../../contract/order.ts";
import type { Outcome } from "../../contract/result.ts";
import type { Prober, ProberTools } from "../prober.ts";
import type { KindTexts } from "../secrets.ts";

interface SocketProberOptions<Request, Measurement> {
  /** URL of a module. Its `serve` turns the request or the result of `readCall` into an outcome. */
  readonly module: URL;
  /** Returns the data for `serve`, for kinds that need more of a run order than the request. */
  readonly readCall?: (order: Order<Request>) => unknown;
  readonly isRequest: (value: unknown) => value is Request;
  readonly texts: KindTexts<Request, Measurement>;
  readonly isFlawless: (measurement: Measurement) => boolean;
}

/** Starts a prober that works entirely in the socket thread and needs no privileges. */
export function startSocketProber<Request, Measurement>(
  { socketThread }: Pick<ProberTools, "socketThread">,
  options: SocketProberOptions<Request, Measurement>,
): Prober {
  const { module, readCall, isRequest, texts, isFlawless } = options;
  const calls = socketThread.open<unknown, Outcome<Measurement>>(module);
  return {
    run: async (order, onStep) => {
      const { request } = order;
      if (!isRequest(request)) {
        return {
          kind: "cannot-check",
          message: "This probe does not support the request. Update the probe.",
        };
      }
      const outcome = await calls.call(readCall?.({ ...order, request }) ?? request, onStep);
      return outcome ?? { kind: "interrupted", message: "The probe stopped." };
    },
    texts,
    isFlawless: (measurement) => isFlawless(measurement as Measurement),
    canRun: () => true,
    listLimitations: () => [],
    close: async () => calls.close(),
  };
}
