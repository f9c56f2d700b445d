import { type Dispatch, type SetStateAction, useEffect, useState } from "react";
import { keepDraftText, readDraftText } from "./draft.ts";

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
