import { type Dispatch, type SetStateAction, useEffect, useState } from "react";

/**
 * What somebody types, kept for this tab: a session that ends leads to the sign-in and back, and
 * nothing typed may be lost on that way.
 */
export function useDraft<Draft>(
  name: string,
  start: Draft,
  /** Takes out what storage must not hold, such as secrets. */
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
      // Without storage a draft lasts as long as the page.
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
    // There is nothing to forget.
  }
}
