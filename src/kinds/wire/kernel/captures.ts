import type { Order } from "../../../contract/order.ts";
import type { Outcome } from "../../../contract/result.ts";
import type { ProberTools } from "../../kit/prober.ts";
import type { CaptureAnswer, CaptureCall } from "./packet-capture.ts";

const captureModule = new URL("./packet-capture.ts", import.meta.url);
const noCapture = {
  kind: "cannot-check",
  message: "This probe cannot capture packets: CAP_NET_RAW is missing, or too many captures run.",
} as const;

/** Returns a function that executes a run order, captures its packets and stores them as a file. */
export function createCaptures({ socketThread, assets, log }: ProberTools) {
  const captures = socketThread.open<CaptureCall, CaptureAnswer>(captureModule);
  return async (order: Order, run: () => Promise<Outcome>): Promise<Outcome> => {
    const { runId: id, checkId, accountId = "", capture: target } = order;
    const comment = `Headers of a repeat of the run ${id}, which failed.`;
    const isOpen = target !== undefined && (await captures.call({ id, target, comment }));
    if (isOpen !== true) return noCapture;
    const outcome = await run();
    const content = await captures.call({ id });
    if (content instanceof Uint8Array) {
      const contentType = "application/x-pcapng";
      const file = { type: "pcap", name: "packets.pcapng", contentType, content } as const;
      await assets
        .save({ accountId, checkId, runId: id }, [file])
        .catch((error) => log(`packets of a run could not be stored: ${error}`));
    }
    return outcome;
  };
}
