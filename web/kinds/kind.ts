import type { ComponentType, LazyExoticComponent } from "react";
import type { Schemas } from "../api/client.ts";
import type { Fields } from "../parts/fields.ts";

/** What the application knows about a check type. */
export interface Kind {
  readonly target: KindTarget;
  /** Loads the parts of the check editor. */
  readonly editor: () => Promise<KindEditor>;
  readonly runView: View<RunViewProps>;
  /** Additional view of a test run. Absent if its steps show everything. */
  readonly trialView?: View<Pick<RunViewProps, "run">>;
  /** Setup instructions on a check's page. */
  readonly note?: View<CheckNoteProps>;
  /** Schemes of typed targets, with pseudo-schemes that some tools use. */
  readonly schemes: readonly string[];
  /** Names of the check type in the exports of other tools. */
  readonly foreignNames: readonly string[];
}

/** A component that is loaded on demand. */
type View<Props> = LazyExoticComponent<ComponentType<Props>>;

/** Basic properties of a check type: its label, its target and its defaults. */
export interface KindTarget {
  /** `checkType` in the API. */
  readonly type: string;
  readonly label: string;
  /** Short description. */
  readonly hint: string;
  /**
   * Whether the server schedules its runs. `false` if they are reported from outside (heartbeats).
   */
  readonly isOrdered: boolean;
  /** Whether its request may contain `{{NAME}}`. */
  readonly holdsVariables: boolean;
  /** Why it cannot be tried, if its runs are not scheduled. */
  readonly noTrial?: string;
  /** Labels of fields that only this check type has. */
  readonly fieldLabels?: Readonly<Record<string, string>>;
  /** Path of the IP version that it uses. */
  readonly ipFamilyPath?: string;
  /** Paths that the API returns but does not accept. */
  readonly readOnlyPaths?: readonly string[];
  /** Paths of values that a copy of a check must not share. */
  readonly uniquePaths?: readonly string[];
  /** Default values of its fields in a new check, as in the API. */
  readonly defaults: Fields;
  /** The target as one text field, or `null` if it has no target. */
  readonly target: {
    readonly label: string;
    readonly example: string;
    /** Paths that the text represents. A validation error of one is shown at this field. */
    readonly paths: readonly string[];
    read(text: string): Fields;
    write(fields: Fields): string;
  } | null;
}

/** The parts of the check editor that depend on the check type. Loaded on demand. */
export interface KindEditor {
  /** Describes the settings in complete sentences. */
  describe(fields: Fields): readonly string[];
  /** Labels of the assertion sources, by their API names. */
  readonly assertionSources?: Readonly<Record<string, string>>;
  /** Fields beside target and name. */
  readonly WhatFields?: ComponentType;
  /** Replaces frequency and locations, for a check type whose runs are not scheduled. */
  readonly WhenFields?: ComponentType;
  readonly FailingFields?: ComponentType;
  /** Collapsed fields whose defaults rarely need to change. */
  readonly MoreFields?: ComponentType;
}

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

export interface CheckNoteProps extends Pick<RunViewProps, "check"> {
  /** Whether the check has no run yet. */
  readonly isWaiting: boolean;
}
