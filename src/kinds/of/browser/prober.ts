import type { Order } from "../../../contract/order.ts";
import type { Outcome } from "../../../contract/result.ts";
import type {
  ScriptMeasurement,
  ScriptRequest,
  Snapshot,
  WatchedCertificate,
} from "../../../sandbox/script-run.ts";
import type { Prober, ProberTools } from "../../kit/prober.ts";
import { isScriptRequest } from "../../kit/scripts/request.ts";
import { startProber } from "../../kit/scripts/script-prober.ts";
import { findSnapshotFaults } from "./budgets.ts";
import { parseDomain } from "./domain.ts";

type Tools = Pick<ProberTools, "scripts" | "assets" | "code" | "log" | "socketThread">;

/**
 * Starts the prober for browser scripts. While the script runs, the prober also reads the
 * certificate of `sslCheckDomain`.
 */
export async function startBrowserProber(tools: Tools): Promise<Prober> {
  const module = new URL("./certificate.ts", import.meta.url);
  const certificates = tools.socketThread.open<string, WatchedCertificate>(module);
  const scripts = await startProber(tools, {
    usesBrowser: true,
    isRequest: isBrowserRequest,
    complete: (order, run) => ({
      ...order,
      loadSnapshot: async (key) =>
        (await tools.code?.load(run, key)) ?? { reason: "This probe cannot load snapshots." },
    }),
  });
  const read = ({ request }: Order) => {
    const { certificateDomain = null } = isBrowserRequest(request) ? request : {};
    return certificateDomain === null ? null : certificates.call(certificateDomain);
  };
  return {
    ...scripts,
    run: async (order, onStep) => {
      const [outcome, certificate] = await Promise.all([scripts.run(order, onStep), read(order)]);
      if (outcome.kind !== "measured" || certificate === null) return outcome;
      const { measurement } = outcome as Outcome<ScriptMeasurement> & { kind: "measured" };
      return { kind: "measured", measurement: { ...measurement, certificate } };
    },
    close: async () => {
      certificates.close();
      await scripts.close();
    },
  };
}

function isSnapshot(value: unknown): value is Snapshot {
  const { key, path } = (value ?? {}) as Partial<Snapshot>;
  return typeof key === "string" && typeof path === "string";
}

function isBrowserRequest(value: unknown): value is ScriptRequest {
  if (!isScriptRequest(value)) return false;
  const { certificateDomain: domain, snapshots = [] }: Record<string, unknown> = { ...value };
  if (!Array.isArray(snapshots) || !snapshots.every(isSnapshot)) return false;
  if (findSnapshotFaults({ ...value, snapshots }).length > 0) return false;
  return domain === undefined || (typeof domain === "string" && !("reason" in parseDomain(domain)));
}
