import { type Dispatch, type SetStateAction, useEffect, useState } from "react";

/** Stores the draft of a form in this tab, so that it survives the end of a session. */
export function useDraft<Draft>(
  name: string,
  start: Draft,
  /** Removes what must not be stored, such as secrets. */
  clean: (draft: Draft) => Draft = (same) => same,
): readonly [Draft, Dispatch<SetStateAction<Draft>>, () => void] {
  const key = `vedette.draft.${name}`;
  const [draft, setDraft] = useState<Draft>(() => readDraft(key) ?? start);
  const [isTouched, setTouched] = useState(false);
  useEffect(() => {
    if (!isTouched) return;
    try {
      sessionStorage.setItem(key, JSON.stringify(clean(draft)));
    } catch {
      // Storage is unavailable: the draft lasts until the page is reloaded.
    }
  }, [key, draft, isTouched, clean]);
  const change: Dispatch<SetStateAction<Draft>> = (next) => {
    setTouched(true);
    setDraft(next);
  };
  const forget = () => {
    setTouched(false);
    forgetDraft(key);
  };
  return [draft, change, forget];
}

function readDraft<Draft>(key: string): Draft | null {
  try {
    const kept = sessionStorage.getItem(key);
    return kept === null ? null : (JSON.parse(kept) as Draft);
  } catch {
    return null;
  }
}

function forgetDraft(key: string): void {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // Storage is unavailable, so there is no draft.
  }
}
