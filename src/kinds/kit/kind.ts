import type { TProperties } from "typebox";
import type { KindAgent, OwnAgent } from "./agent.ts";
import type { KindDefinition, KindFields } from "./definition.ts";
import type { KindOperations, KindPresentation, KindWords } from "./presentation.ts";
import type { KindStorage } from "./storage.ts";
import type { Reason, VerdictSettings } from "./verdict.ts";

/**
 * The parts that a kind provides. `Settings` contains all settings of a check: the common settings
 * and the kind's own settings.
 *
 * Functions are declared as methods so that kinds with different settings fit into one map. The
 * types cannot ensure that values and functions belong to the same kind, so each caller must ensure
 * this.
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

/**
 * Everything that is specific to a kind of check. Code outside the kinds accesses a kind only
 * through this type.
 */
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
    /**
     * Whether probes receive run orders. False if the runs are pings or notifications of other
     * monitors.
     */
    readonly isOrdered: boolean;
    /** Name of the field for the run's document in a full result, such as `icmpCheckResult`. */
    readonly documentField: string;
    readonly agent: KindAgent<Settings, Request, Measurement>;
  };

/** A kind without its `agent` member. */
export type BareKind = Omit<Kind, "agent">;
