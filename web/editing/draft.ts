/**
 * Unsaved input in the storage of the tab, so that the end of a session or a reload loses nothing.
 * `claimDrafts` deletes it when somebody else signs in.
 */

import { type Dispatch, type SetStateAction, useEffect, useState } from "react";
import { isSame } from "../parts/fields.ts";
import { stripSecrets } from "../parts/secrets.ts";
import type { Draft } from "./editor-state.ts";

const prefix = "vedette.draft.";
const maxDraftLength = 1_000_000;

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Returns `null` for text that is not a draft. */
export function parseDraft<Item, Values>(text: string): Draft<Item, Values> | null {
  try {
    const { values, version, lacksSecrets } = JSON.parse(text);
    const isVersion = version === null || (isObject(version) && "data" in version);
    if (!isObject(values) || Array.isArray(values) || !isVersion) return null;
    return { values: values as Values, version, lacksSecrets: lacksSecrets === true };
  } catch {
    return null;
  }
}

export function readDraftText(key: string): string {
  try {
    return sessionStorage.getItem(prefix + key) ?? "";
  } catch {
    return "";
  }
}

/** Stores a text, or deletes it if it is empty. */
export function keepDraftText(key: string, text: string): void {
  try {
    if (text === "") sessionStorage.removeItem(prefix + key);
    else if (text.length <= maxDraftLength) sessionStorage.setItem(prefix + key, text);
  } catch {
    // Storage is full or forbidden. The browser asks before the page is left.
  }
}

export function readDraft<Item, Values>(key: string): Draft<Item, Values> | null {
  return parseDraft(readDraftText(key));
}

/** Stores a draft without its secrets, which must not outlive the session. */
export function keepDraft<Item, Values>(
  key: string,
  draft: Draft<Item, Values>,
  clean: (values: Values) => Values = (same) => same,
): void {
  const values = stripSecrets(clean(draft.values));
  const lacksSecrets = draft.lacksSecrets || !isSame(values, draft.values);
  // Both sides lose the same secrets, so that one which nobody changed is not sent.
  const version = stripSecrets(draft.version);
  keepDraftText(key, JSON.stringify({ values, version, lacksSecrets }));
}

export const dropDraft = (key: string): void => keepDraftText(key, "");

/** Keeps the input of a small form in the storage of the tab, also across a sign-in. */
export function useDraft<Draft>(
  key: string,
  start: Draft,
  /** Removes what the storage must not hold, such as secrets. */
  clean: (draft: Draft) => Draft = (same) => same,
): readonly [Draft, Dispatch<SetStateAction<Draft>>, () => void] {
  const [draft, setDraft] = useState<Draft>(() => parse<Draft>(readDraftText(key)) ?? start);
  const [isTouched, setTouched] = useState(false);
  useEffect(() => {
    if (isTouched) keepDraftText(key, JSON.stringify(clean(draft)));
  }, [key, draft, isTouched, clean]);
  const change: Dispatch<SetStateAction<Draft>> = (next) => {
    setTouched(true);
    setDraft(next);
  };
  const forget = () => {
    setTouched(false);
    keepDraftText(key, "");
  };
  return [draft, change, forget];
}

function parse<Draft>(text: string): Draft | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
