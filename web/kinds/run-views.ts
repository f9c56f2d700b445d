import { type ComponentType, type LazyExoticComponent, lazy } from "react";
import type { Schemas } from "../api/client.ts";

/** The generated client omits fields that are always null. */
export type Shown<Answer> = Answer extends (infer Entry)[]
  ? Shown<Entry>[]
  : Answer extends object
    ? {
        [Field in keyof Answer as [NonNullable<Answer[Field]>] extends [never]
          ? never
          : Field]: Shown<Answer[Field]>;
      }
    : Answer;

/** A run with all measurements, and its check. */
export interface RunViewProps {
  readonly run: Shown<Schemas["WholeResult"]>;
  readonly check: Schemas["Check"];
}

export type RunView = LazyExoticComponent<ComponentType<RunViewProps>>;

/** Run views by check type, each loaded on demand. */
export const runViews: Readonly<Record<string, RunView>> = {
  ICMP: lazy(async () => ({ default: (await import("./icmp/run-view.tsx")).IcmpRunView })),
  URL: lazy(async () => ({ default: (await import("./url/run-view.tsx")).UrlRunView })),
  API: lazy(async () => ({ default: (await import("./api/run-view.tsx")).ApiRunView })),
  TCP: lazy(async () => ({ default: (await import("./tcp/run-view.tsx")).TcpRunView })),
  DNS: lazy(async () => ({ default: (await import("./dns/run-view.tsx")).DnsRunView })),
  SSL: lazy(async () => ({ default: (await import("./ssl/run-view.tsx")).SslRunView })),
  HEARTBEAT: lazy(async () => ({
    default: (await import("./heartbeat/run-view.tsx")).HeartbeatRunView,
  })),
};

export type TrialView = LazyExoticComponent<ComponentType<Pick<RunViewProps, "run">>>;

/** Additional views of a test run, by check type. Absent if its steps show everything. */
export const trialViews: Readonly<Record<string, TrialView>> = {
  URL: lazy(async () => ({ default: (await import("./run-parts/http-answer.tsx")).HttpAnswer })),
  API: lazy(async () => ({ default: (await import("./run-parts/http-answer.tsx")).HttpAnswer })),
  TCP: lazy(async () => ({ default: (await import("./tcp/run-view.tsx")).TcpRunView })),
  DNS: lazy(async () => ({ default: (await import("./dns/run-view.tsx")).DnsRunView })),
  SSL: lazy(async () => ({ default: (await import("./ssl/run-view.tsx")).SslRunView })),
};

export interface CheckNoteProps extends Pick<RunViewProps, "check"> {
  /** Whether the check has no run yet. */
  readonly isWaiting: boolean;
}

export type CheckNote = LazyExoticComponent<ComponentType<CheckNoteProps>>;

/** Setup instructions on a check's page, by check type. */
export const checkNotes: Readonly<Record<string, CheckNote>> = {
  HEARTBEAT: lazy(async () => ({
    default: (await import("./heartbeat/ping-address.tsx")).PingSetup,
  })),
};
