import { type ComponentType, type LazyExoticComponent, lazy } from "react";
import type { Schemas } from "../api/client.ts";

/** The client leaves out fields that are always null. */
export type Shown<Answer> = Answer extends (infer Entry)[]
  ? Shown<Entry>[]
  : Answer extends object
    ? {
        [Field in keyof Answer as [NonNullable<Answer[Field]>] extends [never]
          ? never
          : Field]: Shown<Answer[Field]>;
      }
    : Answer;

/** One run with all that was measured, and the check it is of. */
export interface RunViewProps {
  readonly run: Shown<Schemas["WholeResult"]>;
  readonly check: Schemas["Check"];
}

export type RunView = LazyExoticComponent<ComponentType<RunViewProps>>;

/** Check type → what a run of it shows. One line per kind, each loaded when it is opened. */
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

/** Check type → what came back to a run that is tried; absent where its steps show everything. */
export const trialViews: Readonly<Record<string, TrialView>> = {
  URL: lazy(async () => ({ default: (await import("./run-parts/http-answer.tsx")).HttpAnswer })),
  API: lazy(async () => ({ default: (await import("./run-parts/http-answer.tsx")).HttpAnswer })),
  TCP: lazy(async () => ({ default: (await import("./tcp/run-view.tsx")).TcpRunView })),
  DNS: lazy(async () => ({ default: (await import("./dns/run-view.tsx")).DnsRunView })),
  SSL: lazy(async () => ({ default: (await import("./ssl/run-view.tsx")).SslRunView })),
};

export interface CheckNoteProps extends Pick<RunViewProps, "check"> {
  /** Whether no run has come in yet. */
  readonly isWaiting: boolean;
}

export type CheckNote = LazyExoticComponent<ComponentType<CheckNoteProps>>;

/** Check type → what people need of such a check before and between its runs. */
export const checkNotes: Readonly<Record<string, CheckNote>> = {
  HEARTBEAT: lazy(async () => ({
    default: (await import("./heartbeat/ping-address.tsx")).PingSetup,
  })),
};
