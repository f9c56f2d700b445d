import type { ComponentType } from "react";
import type { Fields } from "./fields.ts";

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
