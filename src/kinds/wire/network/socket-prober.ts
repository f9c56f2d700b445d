import type { Order } from "../../../contract/order.ts";
import type { Outcome } from "../../../contract/result.ts";
import type { Prober, ProberTools } from "../../kit/prober.ts";
import type { KindTexts } from "../../kit/secrets.ts";

interface SocketProberOptions<Request, Measurement> {
  /** URL of the module whose `serve` function executes a run in the socket thread. */
  readonly module: URL;
  /** Builds the input of `serve` from the run order. By default, the input is the request. */
  readonly readCall?: (order: Order<Request>) => unknown;
  readonly isRequest: (value: unknown) => value is Request;
  readonly texts: KindTexts<Request, Measurement>;
  readonly isFlawless: (measurement: Measurement) => boolean;
}

/**
 * Starts a prober that executes its runs in the socket thread. Its list of limitations, which names
 * what this machine cannot check, is empty.
 */
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
