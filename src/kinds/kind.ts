import type { TProperties } from "typebox";
import type { KindAgent, OwnAgent } from "./agent.ts";
import type { KindDefinition, KindFields } from "./definition.ts";
import type { KindOperations, KindPresentation, KindWords } from "./presentation.ts";
import type { KindStorage } from "./storage.ts";
import type { Reason, VerdictSettings } from "./verdict.ts";

/**
 * What a kind provides. Functions are declared as methods so that kinds with different settings fit
 * into one map; the caller must pass values of the same kind. `Settings` is the whole check: the
 * common settings and the kind's own.
 */
export type KindParts<
  Settings extends VerdictSettings = VerdictSettings,
  Request = unknown,
  Measurement = unknown,
  OwnReason extends Reason = Reason,
> = KindDefinition<Settings, Request, Measurement> &
  KindStorage<Request, Measurement> &
  KindPresentation<Settings, Request, Measurement, OwnReason> & {
    readonly agent?: OwnAgent<Settings, Request, Measurement>;
  };

/** Members without a default: their absence has a meaning. */
type OptionalMember =
  | "pings"
  | "signals"
  | "hiddenFields"
  | "showSettings"
  | "writeAsCode"
  | "secrets"
  | "receivesAllVariables"
  | "runsScripts"
  | "snippets"
  | "code"
  | "groupDefaults"
  | "clientCertificateFor"
  | "findCertificate"
  | "pathTarget"
  | "families"
  | "capturesPackets"
  | "failsWhen";

type DerivedMember = "fields" | "words" | "operations" | "agent";

/** The kind's own fields, complete. */
export interface AllFields {
  readonly target: Required<KindFields["target"]>;
  readonly settings: TProperties;
  readonly scripts: TProperties;
  readonly unused: { readonly create: TProperties; readonly change: TProperties };
}

/** Everything specific to a kind of check. Other code depends on this type only. */
export type Kind<
  Settings extends VerdictSettings = VerdictSettings,
  Request = unknown,
  Measurement = unknown,
  OwnReason extends Reason = Reason,
> = Required<
  Omit<KindParts<Settings, Request, Measurement, OwnReason>, OptionalMember | DerivedMember>
> &
  Pick<KindParts<Settings, Request, Measurement, OwnReason>, OptionalMember> & {
    readonly fields: AllFields;
    readonly words: KindWords;
    readonly operations: Required<KindOperations> & {
      /** Prefix of schema and operation names: `Icmp` in `IcmpCheck` and `createIcmpCheck`. */
      readonly name: string;
    };
    /** False if runs are pings or signals that others send; no probe receives orders then. */
    readonly isOrdered: boolean;
    /** Field of the document in a full result: `icmpCheckResult`. */
    readonly documentField: string;
    readonly agent: KindAgent<Settings, Request, Measurement>;
  };

/** A kind without the agent's part. */
export type BareKind = Omit<Kind, "agent">;
