/** Finds the field that the API refused, unfolds what hides it, and goes there. */
export function goToField(form: HTMLElement, keys: readonly string[]): boolean {
  for (const key of keys) {
    const field = findField(form, key);
    if (field === null) continue;
    for (let fold = field.closest("details"); fold; fold = outer(fold)) fold.open = true;
    field.focus({ preventScroll: true });
    field.scrollIntoView({ block: "center" });
    return true;
  }
  return false;
}

function outer(fold: HTMLDetailsElement): HTMLDetailsElement | null {
  return fold.parentElement?.closest("details") ?? null;
}

/** The field of the path itself, or of the nearest thing that it is a part of. */
function findField(form: HTMLElement, key: string): HTMLElement | null {
  const names = key.split(".");
  for (let length = names.length; length > 0; length -= 1) {
    const path = CSS.escape(names.slice(0, length).join("."));
    const field = form.querySelector<HTMLElement>(`[data-path~="${path}"]`);
    if (field !== null) return field;
  }
  return null;
}
