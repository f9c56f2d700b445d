import type { ComponentType } from "react";
import type { Fields } from "./fields.ts";

/** What is particular to a kind in the editor of a check. Loaded when the kind is chosen. */
export interface KindEditor {
  /** What the settings will do: whole sentences. */
  describe(fields: Fields): readonly string[];
  /** Words for the sources of its assertions, by their names in the API. */
  readonly assertionSources?: Readonly<Record<string, string>>;
  /** Beside target and name. */
  readonly WhatFields?: ComponentType;
  /** In place of how often and from where; a kind whose runs come in by themselves has it. */
  readonly WhenFields?: ComponentType;
  readonly FailingFields?: ComponentType;
  /** Folded away, because the defaults are nearly always right. */
  readonly MoreFields?: ComponentType;
}
