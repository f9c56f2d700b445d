import type { TProperties } from "typebox";
import type { KindAgent, OwnAgent } from "./agent.ts";
import type { KindDefinition, KindFields } from "./definition.ts";
import type { KindOperations, KindPresentation, KindWords } from "./presentation.ts";
import type { KindStorage } from "./storage.ts";
import type { Reason, VerdictSettings } from "./verdict.ts";

/**
 * The parts that a kind provides. `Settings` is the whole check: the common settings and the kind's
 * own.
 *
 * Functions are declared as methods so that kinds with different settings fit into one map. A
 * caller must pass only values of the kind whose function it calls.
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

/** Members that stay optional, because their absence has a meaning and there is no default. */
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

/** API schemas of the kind's own fields, with all defaults applied. */
export interface AllFields {
  readonly target: Required<KindFields["target"]>;
  readonly settings: TProperties;
  readonly scripts: TProperties;
  readonly unused: { readonly create: TProperties; readonly change: TProperties };
}

/** Everything specific to a kind of check. Code outside the kinds depends on this type only. */
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
    /** Whether probes receive run orders. False for pings and notifications of other systems. */
    readonly isOrdered: boolean;
    /** Name of the field with the run's document in a full result, such as `icmpCheckResult`. */
    readonly documentField: string;
    readonly agent: KindAgent<Settings, Request, Measurement>;
  };

/** A kind without its `agent` member. */
export type BareKind = Omit<Kind, "agent">;
