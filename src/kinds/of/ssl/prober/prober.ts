import type { Outcome } from "../../../../contract/result.ts";
import { doesHostMatch } from "../../../../platform/net/host.ts";
import type { Prober, ProberTools } from "../../../kit/prober.ts";
import type { SslMeasurement } from "../measurement.ts";
import { isSslRequest, nameOf, texts } from "../request.ts";
import type { SslCall } from "./measure.ts";

export async function startSslProber({ socketThread }: ProberTools): Promise<Prober> {
  const module = new URL("./measure.ts", import.meta.url);
  const calls = socketThread.open<SslCall, Outcome<SslMeasurement>>(module);
  return {
    run: async ({ request, clientCertificate: given }, onStep) => {
      if (!isSslRequest(request)) {
        return {
          kind: "cannot-check",
          message: "This probe does not support the request. Update the probe.",
        };
      }
      const isFor = given !== undefined && doesHostMatch(given.host, nameOf(request));
      const outcome = await calls.call(
        { request, clientCertificate: isFor ? given : null },
        onStep,
      );
      return outcome ?? { kind: "interrupted", message: "The probe stopped." };
    },
    texts,
    // A measurement exists only after a completed handshake, which proves that the probe's own
    // network works. Every measurement is therefore flawless.
    isFlawless: () => true,
    canRun: () => true,
    listLimitations: () => [],
    close: async () => calls.close(),
  };
}
