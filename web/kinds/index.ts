/**
 * Everything that is specific to a check type: its target, editor, sentences and run views. A check
 * type is a folder here and an entry in `kinds`. Code outside this folder contains neither the name
 * of a check type nor its fields.
 */
import { lazy } from "react";
import type { CheckType } from "./form-values.ts";
import type { Kind, KindEditor, KindTarget } from "./kind.ts";
import {
  alertGroupTarget,
  apiTarget,
  browserTarget,
  dnsTarget,
  grpcTarget,
  heartbeatTarget,
  icmpTarget,
  multiStepTarget,
  playwrightTarget,
  sslTarget,
  tcpTarget,
  tracerouteTarget,
  urlTarget,
} from "./targets.ts";

/** Returns the reason of a run's verdict. A run that passed in every respect needs none. */
export function explainRun(run: {
  readonly verdict: string;
  readonly explanation: string;
  readonly reasons: readonly { readonly name: string }[];
}): string {
  const isPlain = run.verdict === "passing" && run.reasons[0]?.name === "all-within-limits";
  return isPlain ? "" : run.explanation;
}

const httpAnswer = lazy(async () => ({
  default: (await import("./run-parts/http-view.tsx")).HttpAnswer,
}));
const tcpRunView = lazy(async () => ({ default: (await import("./tcp/run-view.tsx")).TcpRunView }));
const dnsRunView = lazy(async () => ({ default: (await import("./dns/run-view.tsx")).DnsRunView }));
const sslRunView = lazy(async () => ({ default: (await import("./ssl/run-view.tsx")).SslRunView }));
const tracerouteRunView = lazy(async () => ({
  default: (await import("./traceroute/run-view.tsx")).TracerouteRunView,
}));
const grpcRunView = lazy(async () => ({
  default: (await import("./grpc/run-view.tsx")).GrpcRunView,
}));

/** Shows the files of a run, for all check types that run scripts. */
const runFiles = lazy(async () => ({
  default: (await import("./scripts/run-files.tsx")).RunFiles,
}));
/**
 * Shows the captured packets of a run, for all check types that may repeat a failed run to capture
 * its packets.
 */
const runPackets = lazy(async () => ({
  default: (await import("./scripts/run-files.tsx")).RunPackets,
}));
const multiStepRunView = lazy(async () => ({
  default: (await import("./multi-step/run-view.tsx")).MultiStepRunView,
}));

const browserRunView = lazy(async () => ({
  default: (await import("./browser/run-view.tsx")).BrowserRunView,
}));

const suiteRunView = lazy(async () => ({
  default: (await import("./playwright/run-view.tsx")).SuiteRunView,
}));

/** Check types by their API name, in display order. */
export const kinds: Readonly<Record<CheckType, Kind>> = {
  URL: {
    target: urlTarget,
    editor: async () => (await import("./url/editor-fields.tsx")).editor,
    runView: lazy(async () => ({ default: (await import("./url/run-view.tsx")).UrlRunView })),
    trialView: httpAnswer,
    schemes: ["http", "https"],
    foreignNames: ["http", "https", "url", "keyword", "json-query", "website"],
  },
  ICMP: {
    target: icmpTarget,
    editor: async () => (await import("./icmp/editor-fields.tsx")).editor,
    runView: lazy(async () => ({ default: (await import("./icmp/run-view.tsx")).IcmpRunView })),
    filesView: runPackets,
    schemes: ["ping", "icmp"],
    foreignNames: ["ping", "icmp"],
  },
  TCP: {
    target: tcpTarget,
    editor: async () => (await import("./tcp/editor-fields.tsx")).editor,
    runView: tcpRunView,
    trialView: tcpRunView,
    filesView: runPackets,
    schemes: ["tcp"],
    foreignNames: ["port", "tcp"],
  },
  API: {
    target: apiTarget,
    editor: async () => (await import("./api/editor-fields.tsx")).editor,
    runView: lazy(async () => ({ default: (await import("./api/run-view.tsx")).ApiRunView })),
    trialView: httpAnswer,
    schemes: [],
    foreignNames: [],
  },
  DNS: {
    target: dnsTarget,
    editor: async () => (await import("./dns/editor-fields.tsx")).editor,
    runView: dnsRunView,
    trialView: dnsRunView,
    schemes: ["dns"],
    foreignNames: ["dns"],
  },
  SSL: {
    target: sslTarget,
    editor: async () => (await import("./ssl/editor-fields.tsx")).editor,
    runView: sslRunView,
    trialView: sslRunView,
    schemes: ["ssl", "tls"],
    foreignNames: ["ssl", "tls", "certificate"],
  },
  GRPC: {
    target: grpcTarget,
    editor: async () => (await import("./grpc/editor-fields.tsx")).editor,
    runView: grpcRunView,
    trialView: grpcRunView,
    schemes: ["grpc", "grpcs"],
    foreignNames: ["grpc"],
  },
  TRACEROUTE: {
    target: tracerouteTarget,
    editor: async () => (await import("./traceroute/editor-fields.tsx")).editor,
    runView: tracerouteRunView,
    trialView: tracerouteRunView,
    note: lazy(async () => ({ default: (await import("./traceroute/live-path.tsx")).LivePath })),
    schemes: ["traceroute", "mtr"],
    foreignNames: ["traceroute", "mtr"],
  },
  MULTI_STEP: {
    target: multiStepTarget,
    editor: async () => (await import("./multi-step/editor-fields.tsx")).editor,
    runView: multiStepRunView,
    trialView: multiStepRunView,
    filesView: runFiles,
    schemes: [],
    foreignNames: ["multistep", "multi-step"],
  },
  BROWSER: {
    target: browserTarget,
    editor: async () => (await import("./browser/editor-fields.tsx")).editor,
    runView: browserRunView,
    trialView: browserRunView,
    filesView: runFiles,
    schemes: [],
    foreignNames: ["browser", "real-browser", "playwright"],
  },
  PLAYWRIGHT: {
    target: playwrightTarget,
    editor: async () => (await import("./playwright/editor-fields.tsx")).editor,
    runView: suiteRunView,
    trialView: suiteRunView,
    filesView: runFiles,
    schemes: [],
    foreignNames: ["playwright-suite"],
  },
  HEARTBEAT: {
    target: heartbeatTarget,
    editor: async () => (await import("./heartbeat/editor-fields.tsx")).editor,
    runView: lazy(async () => ({
      default: (await import("./heartbeat/run-view.tsx")).HeartbeatRunView,
    })),
    note: lazy(async () => ({ default: (await import("./heartbeat/ping-address.tsx")).PingSetup })),
    schemes: [],
    foreignNames: [],
  },
  ALERT_GROUP: {
    target: alertGroupTarget,
    editor: async () => (await import("./alert-group/editor-fields.tsx")).editor,
    runView: lazy(async () => ({
      default: (await import("./alert-group/run-view.tsx")).AlertGroupRunView,
    })),
    schemes: [],
    foreignNames: [],
  },
};

export const kindTargets: readonly KindTarget[] = Object.values(kinds).map(({ target }) => target);

const isCheckType = (type: string): type is CheckType => Object.hasOwn(kinds, type);

export function findKind(type: unknown): KindTarget | null {
  const name = typeof type === "string" ? type.toUpperCase() : "";
  return isCheckType(name) ? kinds[name].target : null;
}

/** Labels of the response time limits that most check types have. */
export const timeLimitLabels = {
  degradedResponseTime: "degraded limit",
  maxResponseTime: "failing limit",
};

/** Returns the label of a check type, such as "Ping" or "Certificate". */
export const nameKind = (type: string): string => findKind(type)?.label ?? type;

/** Returns the additional view of a test run; `null` if the list of steps shows everything. */
export const findTrialView = (type: string) =>
  isCheckType(type) ? (kinds[type].trialView ?? null) : null;

export function loadEditor(type: string): Promise<KindEditor> {
  if (!isCheckType(type)) return Promise.reject(new Error(`There is no editor for ${type}.`));
  return kinds[type].editor();
}

const byScheme = new Map(
  Object.values(kinds).flatMap(({ schemes, target }) => schemes.map((name) => [name, target])),
);

const byForeignName = new Map(
  Object.values(kinds).flatMap(({ foreignNames, target }) =>
    foreignNames.map((name) => [name, target]),
  ),
);

/** Returns the check type for targets with this scheme; `null` if there is none. */
export function findKindByScheme(scheme: string): KindTarget | null {
  return byScheme.get(scheme.toLowerCase()) ?? null;
}

/** Returns the check type for a type name of another tool; `null` if there is none. */
export function findKindByForeignName(name: string): KindTarget | null {
  return byForeignName.get(name.toLowerCase()) ?? null;
}
