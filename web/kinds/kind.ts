import type { ComponentType, LazyExoticComponent } from "react";
import type { Schemas } from "../api/client.ts";
import type { PathOf } from "../parts/fields.ts";
import type { AnyValues, CheckType, CheckValues } from "./form-values.ts";

/** Properties and components of a check type. */
export interface Kind {
  readonly target: KindTarget;
  readonly editor: () => Promise<KindEditor>;
  readonly runView: View<RunViewProps>;
  /** Additional view of a test run; absent if the list of steps shows everything. */
  readonly trialView?: View<TrialViewProps>;
  /** View of the files of a run, such as screenshots; absent if the check type creates no files. */
  readonly filesView?: View<FilesViewProps>;
  /** View with setup instructions on the page of a check. */
  readonly note?: View<CheckNoteProps>;
  /** Schemes of typed targets that select this check type, including those of other tools. */
  readonly schemes: readonly string[];
  /** Names of the check type in the exports of other tools. */
  readonly foreignNames: readonly string[];
}

/** A component that is loaded on demand. */
type View<Props> = LazyExoticComponent<ComponentType<Props>>;

type ValuesOf<Type extends CheckType> = CheckType extends Type ? AnyValues : CheckValues<Type>;

/** Basic properties of a check type: its label and its target. */
export interface KindTarget<Type extends CheckType = CheckType> {
  /** Value of `checkType` in the API. */
  readonly type: Type;
  readonly label: string;
  /** Short description of the check type. */
  readonly hint: string;
  /** Whether the server schedules runs; false if runs are reported, as for heartbeats. */
  readonly isOrdered: boolean;
  /** Whether the editor hides this type, because an alert source creates its checks. */
  readonly isHidden?: true;
  /** Why checks of this type have no test runs; absent if the server schedules their runs. */
  readonly noTrial?: string;
  /** Labels of fields that only this check type has. */
  readonly fieldLabels?: Readonly<Record<string, string>>;
  /** Path of the setting for the IP version; absent if there is none. */
  readonly ipFamilyPath?: PathOf<ValuesOf<Type>>;
  /** Initial values of a new check that override the defaults of the API. */
  readonly proposed?: ValuesOf<Type>;
  /** Text field for the target; `null` if the check type has no target. */
  readonly target: {
    readonly label: string;
    readonly example: string;
    /** Paths of the settings that this text field edits, and whose validation errors it shows. */
    readonly paths: readonly PathOf<ValuesOf<Type>>[];
    read(text: string): ValuesOf<Type>;
    write(values: ValuesOf<Type>): string;
  } | null;
}

/** Parts of the check editor that depend on the check type, loaded on demand. */
export interface KindEditor<Type extends CheckType = CheckType> {
  /** Describes the settings in complete sentences. A missing setting has its default. */
  describe(values: ValuesOf<Type>, defaults: ValuesOf<Type>): readonly string[];
  /** Labels of the assertion sources, by their API names. */
  readonly assertionSources?: Readonly<Record<string, string>>;
  /** Fields shown next to target and name. */
  readonly WhatFields?: ComponentType;
  /** Fields shown instead of frequency and locations, for check types without a schedule. */
  readonly WhenFields?: ComponentType;
  readonly FailingFields?: ComponentType;
  /** Fields that are collapsed, because their defaults rarely need to change. */
  readonly MoreFields?: ComponentType;
}

/** Type of a response without the fields that are always `null`. */
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

/** Measurements of a run, in the result document of its check type. */
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
