import type { ComponentType, LazyExoticComponent } from "react";
import type { Schemas } from "../api/client.ts";
import type { PathOf } from "../parts/fields.ts";
import type { AnyValues, CheckType, CheckValues } from "./form-values.ts";

/** What the application knows about a check type. */
export interface Kind {
  readonly target: KindTarget;
  /** Loads the parts of the check editor. */
  readonly editor: () => Promise<KindEditor>;
  readonly runView: View<RunViewProps>;
  /** Additional view of a test run. Absent if its steps show everything. */
  readonly trialView?: View<TrialViewProps>;
  /** Lists the files of a run, such as screenshots. Absent if its runs have none. */
  readonly filesView?: View<FilesViewProps>;
  /** Setup instructions on a check's page. */
  readonly note?: View<CheckNoteProps>;
  /** Schemes of typed targets, with pseudo-schemes that some tools use. */
  readonly schemes: readonly string[];
  /** Names of the check type in the exports of other tools. */
  readonly foreignNames: readonly string[];
}

/** A component that is loaded on demand. */
type View<Props> = LazyExoticComponent<ComponentType<Props>>;

type ValuesOf<Type extends CheckType> = CheckType extends Type ? AnyValues : CheckValues<Type>;

/** Basic properties of a check type: its label and its target. */
export interface KindTarget<Type extends CheckType = CheckType> {
  /** `checkType` in the API. */
  readonly type: Type;
  readonly label: string;
  /** Short description. */
  readonly hint: string;
  /**
   * Whether the server schedules its runs. `false` if they are reported from outside (heartbeats).
   */
  readonly isOrdered: boolean;
  /** True if an alert source creates such checks, so that nobody has to choose the type. */
  readonly isHidden?: true;
  /** Why it cannot be tried, if its runs are not scheduled. */
  readonly noTrial?: string;
  /** Labels of fields that only this check type has. */
  readonly fieldLabels?: Readonly<Record<string, string>>;
  /** Path of the IP version that it uses. */
  readonly ipFamilyPath?: PathOf<ValuesOf<Type>>;
  /** Proposed values of a new check, where the API has no default. */
  readonly proposed?: ValuesOf<Type>;
  /** The target as one text field, or `null` if it has no target. */
  readonly target: {
    readonly label: string;
    readonly example: string;
    /** Paths that the text represents. A validation error of one is shown at this field. */
    readonly paths: readonly PathOf<ValuesOf<Type>>[];
    read(text: string): ValuesOf<Type>;
    write(values: ValuesOf<Type>): string;
  } | null;
}

/** The parts of the check editor that depend on the check type. Loaded on demand. */
export interface KindEditor<Type extends CheckType = CheckType> {
  /** Describes the settings in complete sentences. A missing value has its default. */
  describe(values: ValuesOf<Type>, defaults: ValuesOf<Type>): readonly string[];
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

type Run = Shown<Schemas["WholeResult"]>;

/** The measurements of a run, in the document of its check type. */
export interface TrialViewProps {
  readonly run: Partial<Pick<Run, Extract<keyof Run, `${string}CheckResult`>>>;
}

/** A run with all measurements, and its check. */
export interface RunViewProps {
  readonly run: Run;
  readonly check: Schemas["Check"];
}

export interface FilesViewProps {
  readonly checkId: string;
  readonly resultId: string;
}

export interface CheckNoteProps extends Pick<RunViewProps, "check"> {
  /** Whether the check has no run yet. */
  readonly isWaiting: boolean;
}
